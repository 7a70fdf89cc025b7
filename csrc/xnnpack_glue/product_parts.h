// How a product with weights is split among threads.
#pragma once

#include <stdint.h>

#include <algorithm>

#include "gemm.h"
#include "parallel.h"

namespace tfpy {

struct ProductSize {
  size_t m, n, k;
};

inline size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// Calls body(begin, end, first, last) for parts of about row_step rows (a multiple of the tile's)
// and whole panels of columns, on all threads where the product is worth that.
template <class Body>
void for_product_parts(const ProductSize& size, size_t row_step, const Body& body) {
  // Parts that a thread should have, so that a slow one can be helped, the fewest columns of a
  // part, and multiplications below which a second thread costs more than it gives.
  constexpr size_t kPartsPerThread = 4, kMinColumns = 32;
  constexpr uint64_t kMinParallelWork = 1 << 19;
  const size_t row_parts = (size.m + row_step - 1) / row_step;
  const uint64_t work = uint64_t{size.m} * size.n * size.k;
  const size_t wanted = work < kMinParallelWork ? 1 : worker_count() * kPartsPerThread;
  const size_t most_columns = std::max<size_t>(1, size.n / kMinColumns);
  const size_t column_parts =
      worker_count() == 1
          ? 1
          : std::clamp<size_t>((wanted + row_parts - 1) / row_parts, 1, most_columns);
  const size_t column_step = round_up((size.n + column_parts - 1) / column_parts, kPanelColumns);
  const auto run_part = [&](size_t part) {
    const size_t begin = part / column_parts * row_step, first = part % column_parts * column_step;
    body(begin, std::min(size.m, begin + row_step), first, std::min(size.n, first + column_step));
  };
  if (wanted == 1) {
    for (size_t part = 0; part < row_parts * column_parts; ++part) run_part(part);
  } else {
    parallel_for(row_parts * column_parts, run_part);
  }
}

}  // namespace tfpy
