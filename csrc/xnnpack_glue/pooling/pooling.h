// Shared code of pooling and its gradients: the elements of each window that are inside the volume.
#pragma once

#include <stddef.h>

#include "convolution/window.h"
#include "program/kernel.h"

namespace tfpy {

struct PoolingShape {
  WindowShape window;
  size_t channels;

  size_t taps() const { return static_cast<size_t>(window.filter_size()); }
  // Number of rows of windows in all volumes.
  size_t lines() const {
    return window.batch * static_cast<size_t>(window.d.out) * static_cast<size_t>(window.h.out);
  }
};

// Reads the parameters and checks them against the buffers of the volume and of its windows'
// results.
PoolingShape read_pooling(StepSpec& step, const BufferSpec& large, const BufferSpec& small);

// The part of a window inside the volume, in elements of one channel.
class Box {
 public:
  size_t count() const { return counts_[0] * counts_[1] * counts_[2]; }

  // Calls body(element) for each element, in row-major order.
  template <class Body>
  void each(const Body& body) const {
    size_t plane = start_;
    for (size_t d = 0; d < counts_[0]; ++d, plane += steps_[0]) {
      size_t row = plane;
      for (size_t h = 0; h < counts_[1]; ++h, row += steps_[1]) {
        size_t element = row;
        for (size_t w = 0; w < counts_[2]; ++w, element += steps_[2]) body(element);
      }
    }
  }

 private:
  template <class Body>
  friend void for_windows(const PoolingShape& shape, size_t begin, size_t end, const Body& body);

  // Sets the window's range along an axis, and adds its start to *at.
  void set(int number, const WindowAxis& axis, size_t out_index, size_t pitch, size_t* at) {
    size_t first, last;
    axis.taps(out_index, &first, &last);
    counts_[number] = last - first;
    steps_[number] = static_cast<size_t>(axis.dilation) * pitch;
    *at += first < last ? static_cast<size_t>(axis.place(out_index, first)) * pitch : 0;
  }

  size_t start_ = 0, counts_[3], steps_[3];
};

// Calls body(box, output element of channel 0) for each window of the lines begin..end-1.
template <class Body>
void for_windows(const PoolingShape& shape, size_t begin, size_t end, const Body& body) {
  const WindowAxis &d = shape.window.d, &h = shape.window.h, &w = shape.window.w;
  const size_t row = static_cast<size_t>(w.in) * shape.channels;
  const size_t plane = static_cast<size_t>(h.in) * row;
  for (size_t line = begin; line < end; ++line) {
    Box box;
    size_t at = line / h.out / d.out * static_cast<size_t>(d.in) * plane;
    box.set(0, d, line / h.out % d.out, plane, &at);
    box.set(1, h, line % h.out, row, &at);
    for (size_t ow = 0; ow < static_cast<size_t>(w.out); ++ow) {
      box.start_ = at;
      box.set(2, w, ow, shape.channels, &box.start_);
      body(box, (line * w.out + ow) * shape.channels);
    }
  }
}

}  // namespace tfpy
