// Splits a product with weights among threads.
#pragma once

#include <stdint.h>

#include <algorithm>

#include "base/sizes.h"
#include "products/gemm.h"
#include "threads/parallel.h"

namespace tfpy {

struct ProductSize {
  size_t m, n, k;
};

// Splits `size` into parts of equal length; the last one may be shorter.
struct Cut {
  // About `wanted` parts of whole `unit`s; no parts if the size is 0.
  Cut(size_t size, size_t wanted, size_t unit)
      : step(round_up(std::max<size_t>(1, ceil_divide(size, wanted)), unit)) {
    parts = ceil_divide(size, step);
  }

  size_t step, parts;
};

// Calls body(begin, end, first, last) for parts of at most about `most_rows` rows (whole tiles of
// `tile_rows`) and whole panels of columns, on all threads if the product is large enough.
template <class Body>
void for_product_parts(const ProductSize& size, size_t most_rows, size_t tile_rows,
                       const Body& body) {
  // Parts per thread, so that other threads can help a slow one; number of multiplications below
  // which a second thread or another part does not pay off; minimum rows and columns of a part,
  // because each part reads their panels again.
  constexpr size_t kPartsPerThread = 8, kLeastRows = 12, kLeastColumns = 16;
  constexpr uint64_t kLeastWork = 1 << 19, kLeastPart = 1 << 16;
  const uint64_t work = uint64_t{size.m} * size.n * size.k;
  const uint64_t most_parts = worker_count() * kPartsPerThread;
  const bool is_shared = worker_count() > 1 && work >= kLeastWork;
  const size_t wanted =
      is_shared ? static_cast<size_t>(std::min(most_parts, work / kLeastPart)) : 1;
  const auto shares = [&](size_t others) { return ceil_divide(wanted, others); };
  const size_t row_parts = std::max<size_t>(1, ceil_divide(size.m, most_rows));
  const Cut columns(
      size.n, std::clamp<size_t>(shares(row_parts), 1, std::max<size_t>(1, size.n / kLeastColumns)),
      kPanelColumns);
  const Cut rows(size.m, std::max(row_parts, std::min(shares(columns.parts), size.m / kLeastRows)),
                 tile_rows);
  const auto run_part = [&](size_t part) {
    const size_t begin = part / columns.parts * rows.step;
    const size_t first = part % columns.parts * columns.step;
    body(begin, std::min(size.m, begin + rows.step), first, std::min(size.n, first + columns.step));
  };
  if (is_shared) {
    parallel_for(rows.parts * columns.parts, run_part);
  } else {
    for (size_t part = 0; part < rows.parts * columns.parts; ++part) run_part(part);
  }
}

}  // namespace tfpy
