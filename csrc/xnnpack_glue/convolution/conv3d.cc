// Convolution of volumes: a matrix product of patches and filter. Patches are built while the
// product packs them and are never stored completely (https://arxiv.org/abs/1410.0759). The
// gradients are in conv_input_grad.cc and conv_filter_grad.cc.
#include <algorithm>

#include "convolution/conv.h"
#include "products/gemm.h"
#include "simd/simd.h"

namespace tfpy {
namespace {

// x as the matrix [pixels, filter_rows]: row (volume, od, oh, ow), column (kd, kh, kw, channel).
struct Patches {
  const ConvShape* shape;
  const float* x;
  size_t pixels;
};

// The start of a row's window; `exists` is false after the last row.
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

// Finds the channels of the element at the first of `taps` adjacent taps. Returns false if only
// some of the taps are outside the volume; *from is null if all are.
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

// Copies elements first..first+count-1 of a panel's runs to to[count][kPanelRows]; a null run is
// zeros. Runs are transposed four at a time; the last four overlap the previous ones.
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

// Finds whole rows of taps, which are contiguous if the row is inside the volume.
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

}  // namespace

std::unique_ptr<Kernel> make_conv3d(StepSpec& step) {
  step.require_float(2);
  const ConvShape shape = read_conv3d(step, step.inputs[0], step.inputs[1], step.output);
  return make_conv_product(step, shape, forward);
}

}  // namespace tfpy
