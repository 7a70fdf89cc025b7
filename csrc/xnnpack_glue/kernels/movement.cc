// Kernels that move elements: strided (transpose, slice, reverse, broadcast), pad, concat.
#include <string.h>

#include <algorithm>
#include <array>

#include "base/sizes.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kDims = 6;
using Dims = std::array<int32_t, kDims>;

Dims read_dims(Params& params, const char* name, int32_t min) {
  const std::vector<int32_t> numbers = params.numbers(name, kDims, min, kMaxNumber);
  Dims dims;
  std::copy_n(numbers.begin(), kDims, dims.begin());
  return dims;
}

uint64_t volume(const Dims& dims) {
  uint64_t result = 1;
  for (const int32_t dim : dims) result = product({result, static_cast<uint64_t>(dim)});
  return result;
}

struct Walk {
  Dims dims, strides;  // for the output's dimensions; strides in input elements
  int32_t offset;
};

// Merges dimensions that the input traverses as one, at the back; the front is filled with ones.
Walk merged(const Walk& walk) {
  Walk result{{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, walk.offset};
  size_t at = kDims;
  for (size_t d = kDims; d-- > 0;) {
    if (walk.dims[d] == 1) continue;
    const bool joins =
        at < kDims && int64_t{walk.strides[d]} == int64_t{result.strides[at]} * result.dims[at];
    if (joins) {
      result.dims[at] *= walk.dims[d];
    } else {
      --at;
      result.dims[at] = walk.dims[d];
      result.strides[at] = walk.strides[d];
    }
  }
  return result;
}

// out[i][j] = in[i * stride_i + j * stride_j] where stride_i is 1, in 4 x 4 register tiles.
void transpose_plane(const int32_t* in, int32_t* out, size_t rows, size_t columns,
                     ptrdiff_t row_pitch, ptrdiff_t stride_j) {
  size_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    size_t j = 0;
    for (; j + 4 <= columns; j += 4) {
      const int32_t* from = in + static_cast<ptrdiff_t>(j) * stride_j + i;
      store_transposed<int32_t>(load(from), load(from + stride_j), load(from + 2 * stride_j),
                                load(from + 3 * stride_j),
                                out + static_cast<ptrdiff_t>(i) * row_pitch + j, row_pitch);
    }
    for (; j < columns; ++j) {
      const int32_t* from = in + static_cast<ptrdiff_t>(j) * stride_j + i;
      for (size_t k = 0; k < 4; ++k) out[static_cast<ptrdiff_t>(i + k) * row_pitch + j] = from[k];
    }
  }
  for (; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j)
      out[static_cast<ptrdiff_t>(i) * row_pitch + j] = in[static_cast<ptrdiff_t>(j) * stride_j + i];
  }
}

template <class T>
void copy_row(const T* in, T* out, size_t n, ptrdiff_t stride) {
  if (stride == 1 && n >= kShortCopy) {
    memcpy(out, in, n * sizeof(T));
  } else {
    for (size_t i = 0; i < n; ++i) out[i] = in[static_cast<ptrdiff_t>(i) * stride];
  }
}

// Returns the input position of an output row; `row` counts the first five dimensions.
ptrdiff_t row_offset(const Walk& walk, size_t row) {
  ptrdiff_t offset = walk.offset;
  for (size_t d = kDims - 1; d-- > 0;) {
    offset += static_cast<ptrdiff_t>(row % walk.dims[d]) * walk.strides[d];
    row /= walk.dims[d];
  }
  return offset;
}

// The input positions of consecutive output rows.
class Rows {
 public:
  Rows(const Walk& walk, size_t row) : walk_(walk), offset_(row_offset(walk, row)) {
    for (size_t d = kDims - 1; d-- > 0; row /= walk.dims[d])
      index_[d] = static_cast<int32_t>(row % walk.dims[d]);
  }
  ptrdiff_t offset() const { return offset_; }
  void next() {
    for (size_t d = kDims - 1; d-- > 0;) {
      offset_ += walk_.strides[d];
      if (++index_[d] < walk_.dims[d]) return;
      offset_ -= static_cast<ptrdiff_t>(walk_.dims[d]) * walk_.strides[d];
      index_[d] = 0;
    }
  }

 private:
  const Walk& walk_;
  ptrdiff_t offset_;
  int32_t index_[kDims - 1];
};

// Repeats n elements `count` times: the part that was already written is copied to its end.
template <class T>
void repeat_row(const T* in, size_t n, size_t count, T* out) {
  std::copy_n(in, n, out);
  for (size_t done = 1; done < count;) {
    const size_t more = std::min(done, count - done);
    memcpy(out + done * n, out, more * n * sizeof(T));
    done += more;
  }
}

// Writes rows begin..end-1 of a walk that reads the same row repeatedly.
template <class T>
void repeat_rows(const Walk& walk, const T* in, size_t begin, size_t end, T* out) {
  const size_t n = walk.dims[kDims - 1], group = walk.dims[kDims - 2];
  for (size_t row = begin; row < end;) {
    const size_t count = std::min(group - row % group, end - row);
    repeat_row(in + row_offset(walk, row), n, count, out + row * n);
    row += count;
  }
}

template <class T>
void copy_rows(const Walk& walk, const T* in, T* out) {
  const size_t n = walk.dims[kDims - 1], rows = volume(walk.dims) / n;
  const bool repeats = walk.strides[kDims - 2] == 0 && walk.strides[kDims - 1] == 1;
  parallel_ranges(rows, n, [&](size_t begin, size_t end) {
    if (repeats) return repeat_rows(walk, in, begin, end, out);
    Rows place(walk, begin);
    for (size_t row = begin; row < end; ++row, place.next())
      copy_row(in + place.offset(), out + row * n, n, walk.strides[kDims - 1]);
  });
}

// Transposes planes of the innermost dimension and the dimension with input stride 1, in strips
// that fit in the cache; the other dimensions are outer loops.
void transpose_planes(const Walk& walk, size_t axis, const int32_t* in, int32_t* out) {
  constexpr size_t kStrip = 64;
  Walk outer = walk;
  outer.dims[axis] = outer.dims[kDims - 1] = 1;
  ptrdiff_t row_pitch = 1;
  for (size_t d = axis + 1; d < kDims; ++d) row_pitch *= walk.dims[d];
  Walk place = outer;  // the same walk over the output
  ptrdiff_t pitch = 1;
  for (size_t d = kDims; d-- > 0;) {
    place.strides[d] = static_cast<int32_t>(pitch);
    pitch *= walk.dims[d];
  }
  place.offset = 0;
  const size_t rows = walk.dims[axis], columns = walk.dims[kDims - 1];
  const size_t strips = ceil_divide(columns, kStrip);
  const size_t planes = volume(outer.dims);
  parallel_ranges(planes * strips, rows * kStrip, [&](size_t begin, size_t end) {
    for (size_t unit = begin; unit < end; ++unit) {
      const size_t plane = unit / strips, first = unit % strips * kStrip;
      const ptrdiff_t stride_j = walk.strides[kDims - 1];
      const int32_t* from =
          in + row_offset(outer, plane) + static_cast<ptrdiff_t>(first) * stride_j;
      transpose_plane(from, out + row_offset(place, plane) + first, rows,
                      std::min(kStrip, columns - first), row_pitch, stride_j);
    }
  });
}

void run_strided(const Walk& walk, DType dtype, const Operand* inputs, void* output) {
  if (dtype == DType::kBool) {
    copy_rows(walk, inputs[0].as<uint8_t>(), static_cast<uint8_t*>(output));
    return;
  }
  const int32_t* in = inputs[0].as<int32_t>();
  int32_t* out = static_cast<int32_t*>(output);
  const int32_t inner = walk.strides[kDims - 1];
  for (size_t axis = 0; inner != 0 && inner != 1 && axis + 1 < kDims; ++axis) {
    if (walk.strides[axis] == 1 && walk.dims[axis] >= 4) {
      transpose_planes(walk, axis, in, out);
      return;
    }
  }
  copy_rows(walk, in, out);
}

struct PadShape {
  Dims in, out, lo, step;  // step: interior + 1
  int32_t value;
};

// Merges unpadded innermost dimensions with the previous dimension, so that rows are long.
PadShape merged(PadShape pad) {
  constexpr size_t kLast = kDims - 1, kBefore = kDims - 2;
  for (size_t joined = 0; joined < kLast; ++joined) {
    const int64_t n = pad.in[kLast];
    const bool is_whole = pad.lo[kLast] == 0 && pad.out[kLast] == n && pad.step[kLast] == 1;
    const int64_t lo = pad.lo[kBefore] * n, out = pad.out[kBefore] * n;
    const bool fits = lo >= INT32_MIN && std::max({lo, out, pad.in[kBefore] * n}) <= INT32_MAX;
    if (!is_whole || !fits || pad.step[kBefore] != 1) break;
    pad.in[kLast] *= pad.in[kBefore];
    pad.out[kLast] *= pad.out[kBefore];
    pad.lo[kLast] = static_cast<int32_t>(lo);
    for (size_t d = kBefore; d > 0; --d) {
      pad.in[d] = pad.in[d - 1];
      pad.out[d] = pad.out[d - 1];
      pad.lo[d] = pad.lo[d - 1];
      pad.step[d] = pad.step[d - 1];
    }
    pad.in[0] = pad.out[0] = pad.step[0] = 1;
    pad.lo[0] = 0;
  }
  return pad;
}

// Returns the input index of an output index along a dimension, or -1.
int32_t pad_source(const PadShape& pad, size_t d, size_t index) {
  const int64_t place = static_cast<int64_t>(index) - pad.lo[d];
  if (place < 0 || place % pad.step[d] != 0) return -1;
  const int64_t source = place / pad.step[d];
  return source < pad.in[d] ? static_cast<int32_t>(source) : -1;
}

template <class T>
void pad_row(const PadShape& pad, const T* in, T* out) {
  const int64_t n = pad.out[kDims - 1], lo = pad.lo[kDims - 1];
  const T value = static_cast<T>(pad.value);
  if (in == nullptr) {
    std::fill_n(out, n, value);
  } else if (pad.step[kDims - 1] == 1) {
    const int64_t begin = std::clamp<int64_t>(lo, 0, n),
                  end = std::clamp<int64_t>(lo + pad.in[kDims - 1], begin, n);
    std::fill_n(out, begin, value);
    memcpy(out + begin, in + (begin - lo), static_cast<size_t>(end - begin) * sizeof(T));
    std::fill(out + end, out + n, value);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const int32_t source = pad_source(pad, kDims - 1, static_cast<size_t>(i));
      out[i] = source < 0 ? value : in[source];
    }
  }
}

template <class T>
void run_pad(const PadShape& pad, const T* in, T* out) {
  const size_t n = pad.out[kDims - 1];
  parallel_ranges(volume(pad.out) / n, n, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      size_t rest = row, offset = 0, pitch = pad.in[kDims - 1];
      bool is_inside = true;
      for (size_t d = kDims - 1; d-- > 0;) {
        const int32_t source = pad_source(pad, d, rest % pad.out[d]);
        is_inside &= source >= 0;
        offset += static_cast<size_t>(std::max(source, 0)) * pitch;
        pitch *= pad.in[d];
        rest /= pad.out[d];
      }
      pad_row(pad, is_inside ? in + offset : nullptr, out + row * n);
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_strided(StepSpec& step) {
  step.require_same(1);
  Walk walk{read_dims(step.params, "dims", 0), read_dims(step.params, "strides", INT32_MIN),
            step.params.number("offset", INT32_MIN)};
  step.require_count(step.output, volume(walk.dims), "the output");
  if (!step.ok()) return nullptr;
  if (step.output.count != 0) {
    int64_t lowest = walk.offset, highest = walk.offset;
    for (size_t d = 0; d < kDims; ++d) {
      const int64_t reach = int64_t{walk.dims[d] - 1} * walk.strides[d];
      (reach < 0 ? lowest : highest) += reach;
    }
    step.params.require(lowest >= 0 && highest < static_cast<int64_t>(step.inputs[0].count),
                        "strides leave the input");
    if (!step.ok()) return nullptr;
    walk = merged(walk);
  }
  return make_kernel([walk, dtype = step.output.dtype](const Operand* inputs, void* output) {
    run_strided(walk, dtype, inputs, output);
  });
}

std::unique_ptr<Kernel> make_pad(StepSpec& step) {
  step.require_same(1);
  PadShape pad{read_dims(step.params, "in_dims", 0),
               read_dims(step.params, "out_dims", 0),
               read_dims(step.params, "lo", INT32_MIN),
               {},
               step.params.number("value_bits", INT32_MIN)};
  const Dims interior = read_dims(step.params, "interior", 0);
  for (size_t d = 0; d < kDims; ++d) {
    step.params.require(interior[d] < kMaxNumber, "interior is too large");
    pad.step[d] = step.ok() ? interior[d] + 1 : 1;
  }
  step.require_count(step.output, volume(pad.out), "the output");
  if (step.ok()) step.require_count(step.inputs[0], volume(pad.in), "the input");
  if (!step.ok()) return nullptr;
  if (step.output.count != 0 && step.inputs[0].count != 0) pad = merged(pad);
  return make_kernel([pad, dtype = step.output.dtype](const Operand* inputs, void* output) {
    if (dtype == DType::kBool) {
      run_pad(pad, inputs[0].as<uint8_t>(), static_cast<uint8_t*>(output));
    } else {
      run_pad(pad, inputs[0].as<int32_t>(), static_cast<int32_t*>(output));
    }
  });
}

std::unique_ptr<Kernel> make_concat(StepSpec& step) {
  step.require_same(step.inputs.size());
  const uint32_t outer = step.params.number("outer"), inner = step.params.number("inner");
  const std::vector<int32_t> sizes =
      step.params.numbers("sizes", step.inputs.size(), 0, kMaxNumber);
  uint64_t total = 0;
  std::vector<size_t> run_bytes;
  for (size_t i = 0; step.ok() && i < sizes.size(); ++i) {
    const uint64_t size = static_cast<uint64_t>(sizes[i]);
    step.require_count(step.inputs[i], product({outer, size, inner}), "an input");
    total += size;
    // If there are no elements, the product of the other two factors is meaningless.
    run_bytes.push_back(step.inputs[i].count == 0
                            ? 0
                            : static_cast<size_t>(size * inner) * element_size(step.output.dtype));
  }
  step.require_count(step.output, product({outer, total, inner}), "the output");
  if (!step.ok()) return nullptr;
  return make_kernel([outer, run_bytes](const Operand* inputs, void* output) {
    char* to = static_cast<char*>(output);
    for (size_t row = 0; row < outer; ++row) {
      for (size_t i = 0; i < run_bytes.size(); ++i) {
        memcpy(to, inputs[i].as<char>() + row * run_bytes[i], run_bytes[i]);
        to += run_bytes[i];
      }
    }
  });
}

}  // namespace tfpy
