// The matmul kernel: batches of products; products with few rows skip packing.

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/sizes.h"
#include "products/epilogue.h"
#include "products/gemm.h"
#include "products/weights_gemm.h"
#include "program/arena.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kFewRows = 8;  // up to this many rows, packing B does not pay off

struct MatmulShape {
  size_t batch, m, n, k, a_batch_stride, b_batch_stride;
  bool transpose_a, transpose_b;
};

// Computes R rows of C for columns begin..end; B [k, n] is read once, row after row.
template <class T, size_t R>
void few_rows(const MatrixView<T>& a, const MatrixView<T>& b, size_t k, T* c, size_t c_stride,
              size_t begin, size_t end) {
  constexpr size_t kUnroll = 4;
  for (size_t r = 0; r < R; ++r) std::fill(c + r * c_stride + begin, c + r * c_stride + end, T{0});
  for (size_t p = 0; p < k; p += kUnroll) {
    const size_t depth = std::min(kUnroll, k - p);
    T factor[R][kUnroll] = {};
    for (size_t r = 0; r < R; ++r) {
      for (size_t q = 0; q < depth; ++q)
        factor[r][q] = a.data[r * a.row_stride + (p + q) * a.column_stride];
    }
    const T* row[kUnroll];
    for (size_t q = 0; q < kUnroll; ++q)
      row[q] = b.data + (p + std::min(q, depth - 1)) * b.row_stride;
    if (depth <
        kUnroll) {  // rows that do not exist must not be multiplied by 0, because inf * 0 is NaN
      for (size_t j = begin; j < end; ++j) {
        for (size_t r = 0; r < R; ++r) {
          for (size_t q = 0; q < depth; ++q) c[r * c_stride + j] += factor[r][q] * row[q][j];
        }
      }
      continue;
    }
    size_t j = begin;
    for (; j + 4 <= end; j += 4) {
      Vector<T> lanes[kUnroll];
      for (size_t q = 0; q < kUnroll; ++q) lanes[q] = load(row[q] + j);
      for (size_t r = 0; r < R; ++r) {
        Vector<T> sum = load(c + r * c_stride + j);
        for (size_t q = 0; q < kUnroll; ++q) sum += lanes[q] * splat(factor[r][q]);
        store(c + r * c_stride + j, sum);
      }
    }
    for (; j < end; ++j) {
      for (size_t r = 0; r < R; ++r) {
        for (size_t q = 0; q < kUnroll; ++q) c[r * c_stride + j] += factor[r][q] * row[q][j];
      }
    }
  }
}

template <class T>
T dot(const T* a, const T* b, size_t k) {
  Vector<T> sums[4] = {splat(T{0}), splat(T{0}), splat(T{0}), splat(T{0})};
  size_t p = 0;
  for (; p + 16 <= k; p += 16) {
    for (size_t i = 0; i < 4; ++i) sums[i] += load(a + p + 4 * i) * load(b + p + 4 * i);
  }
  const Vector<T> sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  T result = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; p < k; ++p) result += a[p] * b[p];
  return result;
}

// Computes few rows of C in the calling thread, for columns begin..end. A's rows and, if B is
// transposed, B's columns are contiguous.
template <class T>
void few_rows_range(const Gemm<T>& gemm, const MatrixView<T>& a, size_t begin, size_t end) {
  if (gemm.b.column_stride != 1) {
    for (size_t j = begin; j < end; ++j) {
      for (size_t i = 0; i < gemm.m; ++i) {
        gemm.c[i * gemm.c_stride + j] =
            dot(a.data + i * a.row_stride, gemm.b.data + j * gemm.b.column_stride, gemm.k);
      }
    }
    return;
  }
  for (size_t i = 0; i < gemm.m; i += 4) {
    const MatrixView<T> rows{a.data + i * a.row_stride, a.row_stride, a.column_stride};
    T* c = gemm.c + i * gemm.c_stride;
    switch (std::min<size_t>(4, gemm.m - i)) {
      case 1:
        few_rows<T, 1>(rows, gemm.b, gemm.k, c, gemm.c_stride, begin, end);
        break;
      case 2:
        few_rows<T, 2>(rows, gemm.b, gemm.k, c, gemm.c_stride, begin, end);
        break;
      case 3:
        few_rows<T, 3>(rows, gemm.b, gemm.k, c, gemm.c_stride, begin, end);
        break;
      default:
        few_rows<T, 4>(rows, gemm.b, gemm.k, c, gemm.c_stride, begin, end);
    }
  }
}

template <class T>
class Matmul final : public Kernel {
 public:
  Matmul(const MatmulShape& shape, const Epilogue& epilogue)
      : shape_(shape), epilogue_(epilogue), weights_(shape.k, shape.n) {}

  bool run(const Operand* inputs, void* output) override {
    const T* a = inputs[0].as<T>();
    const T* b = inputs[1].as<T>();
    const float* bias = bias_of(epilogue_, inputs);
    T* c = static_cast<T*>(output);
    if constexpr (std::is_same_v<T, float>) {
      if (has_weights(inputs[1].id)) return multiply_by_weights(a, inputs[1], bias, c);
    }
    const size_t work = shape_.m * shape_.n * std::max<size_t>(1, shape_.k / 64);
    const size_t tasks = shape_.batch > 1 ? task_count(shape_.batch, work * 64) : 1;
    if (tasks == 1) {
      for (size_t i = 0; i < shape_.batch; ++i) {
        if (!product_of(i, a, b, bias, c, nullptr)) return false;
      }
      return true;
    }
    const size_t scratch = scratch_elements(std::max(shape_.n, shape_.m));
    T* panels = borrow_scratch<T>(uint64_t{tasks} * scratch);
    if (panels == nullptr) return false;
    parallel_shares(shape_.batch, tasks, [&](size_t task, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) product_of(i, a, b, bias, c, panels + task * scratch);
    });
    return true;
  }

 private:
  // Returns true if b is the same for all products and was the same in the previous call, and if
  // its packed form is kept. It does not pay off to keep packed a matrix that is used only once, as
  // in training.
  bool has_weights(int32_t id) {
    const auto& s = shape_;
    const bool is_one = s.batch == 1 || (s.b_batch_stride == 0 && s.a_batch_stride == s.m * s.k);
    if (id == 0 || !is_one || s.transpose_a || s.k == 0 || s.n == 1) return false;
    if (s.batch * s.m <= kFewRows) return false;
    return weights_.has(id) || (std::exchange(last_id_, id) == id && weights_.can_keep());
  }

  bool multiply_by_weights(const float* a, const Operand& b, const float* bias, float* c) {
    const auto& s = shape_;
    const MatrixView<float> view{b.as<float>(), s.transpose_b ? 1 : s.n, s.transpose_b ? s.k : 1};
    const float* packed = weights_.of(view, b.id);
    if (packed == nullptr) return false;
    multiply_weights({s.batch * s.m, s.n, s.k, a, s.k, packed, c, s.n, epilogue_, bias});
    return true;
  }

  // With scratch in the calling thread, otherwise on all threads.
  bool product_of(size_t i, const T* a, const T* b, const float* bias, T* c, T* scratch) const {
    const auto& s = shape_;
    a += i * s.a_batch_stride;
    b += i * s.b_batch_stride;
    MatrixView<T> left{a, s.transpose_a ? 1 : s.k, s.transpose_a ? s.m : 1};
    MatrixView<T> right{b, s.transpose_b ? 1 : s.n, s.transpose_b ? s.k : 1};
    size_t m = s.m, n = s.n;
    const bool is_turned = n == 1;
    if (is_turned) {  // a column is computed as a row by the transposed product
      std::swap(m, n);
      const MatrixView<T> column = right;
      right = {left.data, left.column_stride, left.row_stride};
      left = {column.data, column.column_stride, column.row_stride};
    }
    const RowSource<T> rows{left, m};
    Gemm<T> gemm{m, n, s.k, pack_matrix_rows<T>, &rows, right, c + i * s.m * s.n, n};
    const bool is_plain = right.column_stride == 1 || left.column_stride == 1;
    if (m <= kFewRows && is_plain && s.k > 0) {
      if (scratch != nullptr) {
        few_rows_range(gemm, left, 0, n);
      } else {
        parallel_ranges(n, m * s.k,
                        [&](size_t begin, size_t end) { few_rows_range(gemm, left, begin, end); });
      }
    } else {
      if (!is_turned) {
        gemm.epilogue = epilogue_;
        gemm.bias = bias;
      }
      if (scratch != nullptr) {
        multiply_serial(gemm, scratch);
      } else if (!multiply(gemm)) {
        return false;
      }
      if (!is_turned) return true;
    }
    if constexpr (std::is_same_v<T, float>) apply_epilogue(epilogue_, bias, s.m, s.n, gemm.c);
    return true;
  }

  MatmulShape shape_;
  Epilogue epilogue_;
  PackedWeights weights_;
  int32_t last_id_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(StepSpec& step) {
  const Epilogue epilogue = read_epilogue(step);
  step.require_same(epilogue.inputs());
  Params& params = step.params;
  params.require(step.output.dtype != DType::kBool, "matmul has no bool");
  const uint32_t batch = params.number("batch"), m = params.number("m"), n = params.number("n"),
                 k = params.number("k");
  const uint32_t a_stride = params.number("a_batch_stride"),
                 b_stride = params.number("b_batch_stride");
  const bool transpose_a = params.flag("transpose_a");
  const bool transpose_b = params.flag("transpose_b");
  step.require_count(step.output, product({batch, m, n}), "the output");
  require_bias(step, epilogue, n);
  if (!step.ok()) return nullptr;
  if (step.output.count != 0) {
    const uint64_t a_end = product({batch - 1, a_stride}) + product({m, k});
    const uint64_t b_end = product({batch - 1, b_stride}) + product({n, k});
    params.require(a_end <= step.inputs[0].count, "a is too small for the parameters");
    params.require(b_end <= step.inputs[1].count, "b is too small for the parameters");
    if (!step.ok()) return nullptr;
  }
  const MatmulShape shape{batch, m, n, k, a_stride, b_stride, transpose_a, transpose_b};
  if (step.output.dtype == DType::kFloat32) return std::make_unique<Matmul<float>>(shape, epilogue);
  return std::make_unique<Matmul<int32_t>>(shape, epilogue);
}

}  // namespace tfpy
