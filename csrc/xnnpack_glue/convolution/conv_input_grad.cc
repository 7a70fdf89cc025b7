// The gradient of a convolution's input: dy times the filter yields the gradients of whole windows,
// which are added at the windows' positions.
#include <string.h>

#include <algorithm>

#include "convolution/conv.h"
#include "convolution/xnnpack_conv.h"
#include "products/gemm.h"
#include "program/arena.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// Adds the gradients of a row's taps, [filter_w, in_c], to the row of dx that they read.
void add_row(const ConvShape& s, size_t ow, const float* taps, float* row) {
  const WindowAxis& w = s.window.w;
  size_t first, last;
  w.taps(ow, &first, &last);
  if (first >= last) return;
  float* to = row + static_cast<size_t>(w.place(ow, first)) * s.in_c;
  if (w.dilation == 1) return add_to(taps + first * s.in_c, (last - first) * s.in_c, to);
  for (size_t kw = first; kw < last; ++kw, to += w.dilation * s.in_c)
    add_to(taps + kw * s.in_c, s.in_c, to);
}

// The gradients of one plane of outputs with respect to the plane of dx that the filter's plane
// `kd` reads.
class PlaneGradient {
 public:
  PlaneGradient(const ConvShape& s, const float* filter, float* scratch)
      : shape_(s), filter_(filter), columns_(scratch), scratch_(scratch + block(s) * width(s)) {}

  // Number of elements of the scratch memory.
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
  // Size of the gradients of one window's inputs: [filter_h, filter_w, in_c].
  static size_t width(const ConvShape& s) {
    return static_cast<size_t>(s.window.h.filter) * s.window.w.filter * s.in_c;
  }
  // Number of outputs at a time: their gradients fit in the cache, and the filter is packed rarely.
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

// Planes of dx are distributed, so that threads never add to the same element.
bool backprop_input(const ConvShape& s, const float* dy, const float* filter, float* dx) {
  const WindowAxis &d = s.window.d, &h = s.window.h, &w = s.window.w;
  const size_t planes = s.window.batch * d.in;
  const size_t in_plane = static_cast<size_t>(h.in) * w.in * s.in_c;
  const size_t out_plane = static_cast<size_t>(h.out) * w.out * s.out_c;
  const uint64_t size = PlaneGradient::scratch_size(s);
  const size_t tasks = task_count(planes, out_plane * s.filter_rows());
  float* scratch = borrow_scratch<float>(tasks * size);
  if (scratch == nullptr) return false;
  parallel_shares(planes, tasks, [&](size_t task, size_t begin, size_t end) {
    PlaneGradient gradient(s, filter, scratch + task * static_cast<size_t>(size));
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

}  // namespace

std::unique_ptr<Kernel> make_conv3d_backprop_input(StepSpec& step) {
  step.require_float(2);
  const ConvShape shape = read_conv3d(step, step.output, step.inputs[1], step.inputs[0]);
  return make_conv_product(step, shape, backprop_input);
}

// An image is a volume of one plane. XNNPACK's deconvolution is as fast for windows with stride 1,
// and distributes a single image better.
std::unique_ptr<Kernel> make_conv2d_backprop_input(StepSpec& step) {
  step.require_float(2);
  const ConvShape shape = read_conv2d(step, step.output, step.inputs[1], step.inputs[0]);
  if (!step.ok()) return nullptr;
  const WindowShape& window = shape.window;
  const bool strides = window.h.stride > 1 || window.w.stride > 1;
  if (strides && shape.groups == 1 && window.batch >= worker_count())
    return make_conv_product(step, shape, backprop_input);
  if (step.inputs[0].count == 0 || step.inputs[1].count == 0)
    return make_empty_sums(step.output.count, shape.in_c, {});
  return make_xnnpack_deconvolution(shape);
}

}  // namespace tfpy
