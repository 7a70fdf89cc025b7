// Convolution of volumes and the gradient of its input: products of patches (never stored whole)
// and the filter. conv_filter_grad.cc has the filter's gradient.
#include <string.h>

#include <algorithm>

#include "arena.h"
#include "conv.h"
#include "gemm.h"
#include "parallel.h"
#include "simd.h"

namespace tfpy {

ConvShape read_conv3d(StepSpec& step, const BufferSpec& x, const BufferSpec& filter,
                      const BufferSpec& y) {
  Params& params = step.params;
  const WindowShape window = read_volume(params);
  const size_t in_c = static_cast<size_t>(params.number("in_c"));
  const size_t out_c = static_cast<size_t>(params.number("out_c"));
  const int32_t back = params.number("pad_back", 0, 1 << 20);
  const ConvShape s{window,
                    in_c,
                    out_c,
                    static_cast<size_t>(params.number("groups", 1, 1)),
                    params.number("pad_bottom", 0, 1 << 20),
                    params.number("pad_right", 0, 1 << 20)};
  step.require_count(x, product({window.batch, window.in_size(), in_c}), "x");
  step.require_count(filter, product({window.filter_size(), in_c, out_c}), "filter");
  step.require_count(y, product({window.batch, window.out_size(), out_c}), "y");
  if (x.count != 0 && y.count != 0) {
    require_output_size(step, window.d, back);
    require_output_size(step, window.h, s.pad_bottom);
    require_output_size(step, window.w, s.pad_right);
  }
  return s;
}

namespace {

// x as the matrix [pixels, filter_rows]: row (volume, od, oh, ow), column (kd, kh, kw, channel).
struct Patches {
  const ConvShape* shape;
  const float* x;
  size_t pixels;
};

// Where the window of a row begins; `exists` is false behind the last row.
struct Window {
  const float* volume;
  int64_t z, y, x;
  bool exists;
};

Window window_of(const Patches& patches, size_t pixel) {
  const WindowAxis &d = patches.shape->window.d, &h = patches.shape->window.h;
  const WindowAxis& w = patches.shape->window.w;
  const size_t line = pixel / w.out, plane = line / h.out;
  const size_t size = static_cast<size_t>(patches.shape->window.in_size()) * patches.shape->in_c;
  return {patches.x + plane / d.out * size, d.place(plane % d.out, 0), h.place(line % h.out, 0),
          w.place(pixel % w.out, 0), pixel < patches.pixels};
}

struct Tap {
  int64_t kd, kh, kw;
};

Tap tap_of(const WindowShape& window, size_t number) {
  const size_t line = number / window.w.filter;
  return {static_cast<int64_t>(line / window.h.filter),
          static_cast<int64_t>(line % window.h.filter),
          static_cast<int64_t>(number % window.w.filter)};
}

void advance(const WindowShape& window, Tap* tap) {
  if (++tap->kw < window.w.filter) return;
  tap->kw = 0;
  if (++tap->kh < window.h.filter) return;
  tap->kh = 0;
  ++tap->kd;
}

// The channels of the element under the first of `taps` neighbouring taps. False when some of them
// lie outside the volume and some do not; *from is null when all do.
bool elements(const ConvShape& s, const Window& at, const Tap& tap, int64_t taps,
              const float** from) {
  const WindowAxis &d = s.window.d, &h = s.window.h, &w = s.window.w;
  const int64_t z = at.z + tap.kd * d.dilation, y = at.y + tap.kh * h.dilation;
  const int64_t x = at.x + tap.kw * w.dilation, last = x + (taps - 1) * w.dilation;
  *from = nullptr;
  if (!at.exists || !d.has(z) || !h.has(y) || last < 0 || x >= w.in) return true;
  const int64_t row = z * h.in + y;
  *from = at.volume + static_cast<size_t>((row * w.in + std::max<int64_t>(0, x)) * s.in_c);
  return x >= 0 && last < w.in;
}

// Elements first..first+count-1 of a panel's runs to to[count][kPanelRows]; a run that is null has
// zeros. Four runs are transposed at a time, the last ones with some of those before.
void pack_runs(const float* const* from, size_t first, size_t count, float* to) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t r = 0; r < kPanelRows; r += 4) {
      const size_t at = std::min(r, kPanelRows - 4);
      f32x4 rows[4];
      for (size_t k = 0; k < 4; ++k)
        rows[k] = from[at + k] != nullptr ? load(from[at + k] + first + i) : splat(0.0f);
      store_transposed<float>(rows[0], rows[1], rows[2], rows[3], to + i * kPanelRows + at,
                              kPanelRows);
    }
  }
  for (; i < count; ++i) {
    for (size_t r = 0; r < kPanelRows; ++r)
      to[i * kPanelRows + r] = from[r] != nullptr ? from[r][first + i] : 0.0f;
  }
}

// The elements of a whole row of taps lie side by side, if the row is inside.
bool find_rows(const ConvShape& s, const Window* windows, const Tap& tap, const float** from) {
  for (size_t r = 0; r < kPanelRows; ++r) {
    if (!elements(s, windows[r], tap, s.window.w.filter, from + r)) return false;
  }
  return true;
}

void pack_patches(const void* source, size_t first, size_t p, size_t depth, float* to) {
  const Patches& patches = *static_cast<const Patches*>(source);
  const ConvShape& s = *patches.shape;
  const size_t channels = s.in_c, row = s.window.w.filter * channels;
  Window windows[kPanelRows];
  for (size_t r = 0; r < kPanelRows; ++r) windows[r] = window_of(patches, first + r);
  Tap tap = tap_of(s.window, p / channels);
  size_t channel = p % channels;
  for (size_t done = 0; done < depth; channel = 0) {
    const float* from[kPanelRows];
    size_t count = std::min(channels - channel, depth - done);
    const bool begins = s.window.w.dilation == 1 && tap.kw == 0 && channel == 0;
    if (begins && depth - done >= row && find_rows(s, windows, tap, from)) {
      count = row;
      tap.kw = s.window.w.filter - 1;
    } else {
      for (size_t r = 0; r < kPanelRows; ++r) elements(s, windows[r], tap, 1, from + r);
    }
    pack_runs(from, channel, count, to + done * kPanelRows);
    advance(s.window, &tap);
    done += count;
  }
}

bool forward(const ConvShape& s, const float* x, const float* filter, float* y) {
  const size_t pixels = s.window.batch * static_cast<size_t>(s.window.out_size());
  const Patches patches{&s, x, pixels};
  return multiply<float>(
      {pixels, s.out_c, s.filter_rows(), pack_patches, &patches, {filter, s.out_c, 1}, y, s.out_c});
}

void add(const float* from, size_t count, float* to) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) store(to + i, load(to + i) + load(from + i));
  for (; i < count; ++i) to[i] += from[i];
}

// Adds the gradients of a row's taps, [filter_w, in_c], to the row of dx that they read.
void add_row(const ConvShape& s, size_t ow, const float* taps, float* row) {
  const WindowAxis& w = s.window.w;
  size_t first, last;
  w.taps(ow, &first, &last);
  if (first >= last) return;
  float* to = row + static_cast<size_t>(w.place(ow, first)) * s.in_c;
  if (w.dilation == 1) return add(taps + first * s.in_c, (last - first) * s.in_c, to);
  for (size_t kw = first; kw < last; ++kw, to += w.dilation * s.in_c)
    add(taps + kw * s.in_c, s.in_c, to);
}

// Gradients of one plane of outputs against the plane of dx that the filter's plane `kd` reads.
class PlaneGradient {
 public:
  PlaneGradient(const ConvShape& s, const float* filter, float* scratch)
      : shape_(s), filter_(filter), columns_(scratch), scratch_(scratch + block(s) * width(s)) {}

  // Elements of the scratch.
  static uint64_t scratch_size(const ConvShape& s) {
    return uint64_t{block(s)} * width(s) + scratch_elements(width(s));
  }

  void add(size_t kd, const float* dy, float* dx) {
    const ConvShape& s = shape_;
    const size_t outputs = static_cast<size_t>(s.window.h.out) * s.window.w.out;
    const float* plane = filter_ + kd * width(s) * s.out_c;
    for (size_t first = 0; first < outputs; first += block(s)) {
      const size_t count = std::min(block(s), outputs - first);
      const RowSource<float> rows{{dy + first * s.out_c, s.out_c, 1}, count};
      multiply_serial<float>({count,
                              width(s),
                              s.out_c,
                              pack_matrix_rows<float>,
                              &rows,
                              {plane, 1, s.out_c},
                              columns_,
                              width(s)},
                             scratch_);
      for (size_t i = 0; i < count; ++i)
        add_window((first + i) / s.window.w.out, (first + i) % s.window.w.out,
                   columns_ + i * width(s), dx);
    }
  }

 private:
  // Gradients of the inputs of one window: [filter_h, filter_w, in_c].
  static size_t width(const ConvShape& s) {
    return static_cast<size_t>(s.window.h.filter) * s.window.w.filter * s.in_c;
  }
  // Outputs at a time: their gradients stay in the cache, and the filter is packed seldom.
  static size_t block(const ConvShape& s) {
    const size_t outputs = static_cast<size_t>(s.window.h.out) * s.window.w.out;
    return std::min(outputs, std::max<size_t>(64, (1 << 16) / width(s)));
  }

  void add_window(size_t oh, size_t ow, const float* taps, float* dx) const {
    const WindowAxis &h = shape_.window.h, &w = shape_.window.w;
    size_t first, last;
    h.taps(oh, &first, &last);
    for (size_t kh = first; kh < last; ++kh) {
      add_row(shape_, ow, taps + kh * w.filter * shape_.in_c,
              dx + static_cast<size_t>(h.place(oh, kh)) * w.in * shape_.in_c);
    }
  }

  const ConvShape& shape_;
  const float* filter_;
  float *columns_, *scratch_;
};

// Planes of dx are shared out, so that threads never add to the same element.
bool backprop_input(const ConvShape& s, const float* dy, const float* filter, float* dx) {
  const WindowAxis &d = s.window.d, &h = s.window.h, &w = s.window.w;
  const size_t planes = s.window.batch * d.in;
  const size_t in_plane = static_cast<size_t>(h.in) * w.in * s.in_c;
  const size_t out_plane = static_cast<size_t>(h.out) * w.out * s.out_c;
  const uint64_t size = PlaneGradient::scratch_size(s);
  const size_t tasks = task_count(planes, out_plane * s.filter_rows());
  float* scratch = borrow_scratch<float>(tasks * size);
  if (scratch == nullptr) return false;
  parallel_for(tasks, [&](size_t task) {
    PlaneGradient gradient(s, filter, scratch + task * static_cast<size_t>(size));
    const size_t begin = static_cast<size_t>(uint64_t{planes} * task / tasks);
    const size_t end = static_cast<size_t>(uint64_t{planes} * (task + 1) / tasks);
    for (size_t plane = begin; plane < end; ++plane) {
      float* to = dx + plane * in_plane;
      memset(to, 0, in_plane * sizeof(float));
      for (size_t kd = 0; kd < static_cast<size_t>(d.filter); ++kd) {
        const int64_t od = d.output_of(plane % d.in, kd);
        if (od < 0) continue;
        gradient.add(kd, dy + (plane / d.in * d.out + static_cast<size_t>(od)) * out_plane, to);
      }
    }
  });
  return true;
}

using Product = bool (*)(const ConvShape&, const float*, const float*, float*);

std::unique_ptr<Kernel> make_product(StepSpec& step, const ConvShape& shape, Product product) {
  if (!step.ok()) return nullptr;
  const bool is_empty = step.inputs[0].count == 0 || step.inputs[1].count == 0;
  return make_kernel([=, count = step.output.count](const Operand* inputs, void* output) {
    float* out = static_cast<float*>(output);
    if (!is_empty) return product(shape, inputs[0].as<float>(), inputs[1].as<float>(), out);
    memset(out, 0, count * sizeof(float));
    return true;
  });
}

}  // namespace

std::unique_ptr<Kernel> make_conv3d(StepSpec& step) {
  step.require_float(2);
  return make_product(step, read_conv3d(step, step.inputs[0], step.inputs[1], step.output),
                      forward);
}

std::unique_ptr<Kernel> make_conv3d_backprop_input(StepSpec& step) {
  step.require_float(2);
  return make_product(step, read_conv3d(step, step.output, step.inputs[1], step.inputs[0]),
                      backprop_input);
}

}  // namespace tfpy
