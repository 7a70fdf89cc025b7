// The gradient of a convolution's filter: patches of x (never stored completely) times dy.
#include <algorithm>

#include "convolution/conv.h"
#include "products/gemm.h"
#include "program/arena.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// A group of x as the matrix [filter_rows, pixels]: row (kd, kh, kw, channel), column (image, od,
// oh, ow).
struct Patches {
  const ConvShape* shape;
  const float* x;  // at the group's first channel
  size_t first_pixel;
};

// The tap and the channel that a row of the matrix reads.
struct Tap {
  size_t kd, kh, kw, channel;
};

Tap tap_of(const ConvShape& s, size_t row) {
  const size_t channel = row % s.group_in(), tap = row / s.group_in();
  const size_t line = tap / s.window.w.filter;
  return {line / s.window.h.filter, line % s.window.h.filter, tap % s.window.w.filter, channel};
}

// Calls put(i, element) for the elements that a tap reads from `depth` consecutive pixels; null
// outside x.
template <class Put>
void for_tap(const Patches& patches, const Tap& tap, size_t pixel, size_t depth, const Put& put) {
  const ConvShape& s = *patches.shape;
  const WindowAxis &d = s.window.d, &h = s.window.h, &w = s.window.w;
  size_t inside_first, inside_last;
  w.outputs(tap.kw, &inside_first, &inside_last);
  size_t ow = pixel % w.out, line = pixel / w.out;
  for (size_t done = 0; done < depth; ++line, ow = 0) {
    const size_t plane = line / h.out, image = plane / d.out;
    const int64_t z = d.place(plane % d.out, tap.kd), y = h.place(line % h.out, tap.kh);
    const size_t end = std::min<size_t>(w.out, ow + depth - done);
    const bool exists = d.has(z) && h.has(y);
    const size_t first = exists ? std::clamp(inside_first, ow, end) : end;
    const size_t last = exists ? std::clamp(inside_last, first, end) : end;
    for (size_t o = ow; o < first; ++o) put(done + o - ow, nullptr);
    if (first < last) {
      const size_t row = (image * d.in + static_cast<size_t>(z)) * h.in + static_cast<size_t>(y);
      const size_t x = row * w.in + static_cast<size_t>(w.place(first, tap.kw));
      const float* from = patches.x + x * s.in_c + tap.channel;
      for (size_t o = first; o < last; ++o, from += w.stride * s.in_c) put(done + o - ow, from);
    }
    for (size_t o = last; o < end; ++o) put(done + o - ow, nullptr);
    done += end - ow;
  }
}

// Packs rows r..r+count-1 of a panel, which are channels of one tap.
void pack_tap(const Patches& patches, const Tap& tap, size_t pixel, size_t depth, size_t count,
              float* to) {
  if (count == kPanelRows) {
    for_tap(patches, tap, pixel, depth, [to](size_t i, const float* x) {
      constexpr size_t kLast = kPanelRows - 4;
      store(to + i * kPanelRows, x != nullptr ? load(x) : splat(0.0f));
      store(to + i * kPanelRows + kLast, x != nullptr ? load(x + kLast) : splat(0.0f));
    });
    return;
  }
  for_tap(patches, tap, pixel, depth, [to, count](size_t i, const float* x) {
    for (size_t r = 0; r < count; ++r) to[i * kPanelRows + r] = x != nullptr ? x[r] : 0.0f;
  });
}

void pack_patches(const void* source, size_t first, size_t p, size_t depth, float* to) {
  const Patches& patches = *static_cast<const Patches*>(source);
  const ConvShape& s = *patches.shape;
  const size_t pixel = patches.first_pixel + p, rows = s.filter_rows();
  for (size_t r = 0; r < kPanelRows;) {
    size_t count = kPanelRows - r;
    if (first + r < rows) {
      const Tap tap = tap_of(s, first + r);
      count = std::min(count, s.group_in() - tap.channel);
      pack_tap(patches, tap, pixel, depth, count, to + r);
    } else {
      for (size_t i = 0; i < depth; ++i) std::fill_n(to + i * kPanelRows + r, count, 0.0f);
    }
    r += count;
  }
}

// Pixels first..last of a group; df is the group's first column in the whole gradient.
Gemm<float> group_product(const ConvShape& s, const Patches& patches, const float* dy, size_t group,
                          size_t pixels, float* df) {
  const float* g = dy + patches.first_pixel * s.out_c + group * s.group_out();
  return {s.filter_rows(),
          s.group_out(),
          pixels,
          pack_patches,
          &patches,
          {g, s.out_c, 1},
          df + group * s.group_out(),
          s.out_c};
}

// Small gradients of many pixels: each thread sums its share of the pixels.
bool split_pixels(const ConvShape& s, const float* x, const float* dy, size_t pixels, size_t tasks,
                  float* df) {
  const size_t count = s.filter_rows() * s.out_c, scratch = scratch_elements(s.group_out());
  float* partial = borrow_scratch<float>(uint64_t{tasks} * (uint64_t{count} + scratch));
  if (partial == nullptr) return false;
  parallel_shares(pixels, tasks, [&](size_t task, size_t begin, size_t end) {
    for (size_t group = 0; group < s.groups; ++group) {
      const Patches patches{&s, x + group * s.group_in(), begin};
      multiply_serial(group_product(s, patches, dy, group, end - begin, partial + task * count),
                      partial + tasks * count + task * scratch);
    }
  });
  for (size_t i = 0; i < count; ++i) {
    float sum = partial[i];
    for (size_t task = 1; task < tasks; ++task) sum += partial[task * count + i];
    df[i] = sum;
  }
  return true;
}

bool backprop_filter(const ConvShape& s, const float* x, const float* dy, float* df) {
  constexpr size_t kSmall =
      1 << 18;  // largest gradient, in elements, of which every thread may have a copy
  const size_t pixels = s.window.batch * static_cast<size_t>(s.window.out_size());
  const size_t count = s.filter_rows() * s.out_c;
  const size_t tasks = task_count(pixels, count);
  if (tasks > 1 && count <= kSmall) return split_pixels(s, x, dy, pixels, tasks, df);
  for (size_t group = 0; group < s.groups; ++group) {
    const Patches patches{&s, x + group * s.group_in(), 0};
    if (!multiply(group_product(s, patches, dy, group, pixels, df))) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Kernel> make_conv2d_backprop_filter(StepSpec& step) {
  step.require_float(2);
  const ConvShape shape = read_conv2d(step, step.inputs[0], step.output, step.inputs[1]);
  return make_conv_product(step, shape, backprop_filter);
}

std::unique_ptr<Kernel> make_conv3d_backprop_filter(StepSpec& step) {
  step.require_float(2);
  const ConvShape shape = read_conv3d(step, step.inputs[0], step.output, step.inputs[1]);
  return make_conv_product(step, shape, backprop_filter);
}

}  // namespace tfpy
