// Exact products of integers and weights of 8 bits that stay as they are stored.

#include <algorithm>

#include "products/stored_product.h"
#include "program/arena.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

// Number of rows and columns of the weights that are multiplied at a time, as pairs of int16.
constexpr size_t kTileRows = 8, kTileColumns = 16, kTileParts = 16;

struct WholeProduct {
  StoredShape shape;
  const int16_t* x;  // [m, depth], with zeros after k
  size_t depth;
  const int8_t* w;
  int32_t* c;
};

// Rows from `rows` on repeat the last one; x is 0 there.
inline void load_tile(const int8_t* w, size_t stride, size_t rows, v128_t* tile) {
  for (size_t pair = 0; pair < kTileRows; pair += 2, tile += 4) {
    const v128_t a = wasm_v128_load(w + std::min(pair, rows - 1) * stride);
    const v128_t b = wasm_v128_load(w + std::min(pair + 1, rows - 1) * stride);
    const v128_t low =
        wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const v128_t high =
        wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    tile[0] = wasm_i16x8_extend_low_i8x16(low);
    tile[1] = wasm_i16x8_extend_high_i8x16(low);
    tile[2] = wasm_i16x8_extend_low_i8x16(high);
    tile[3] = wasm_i16x8_extend_high_i8x16(high);
  }
}

inline void add_tile(const v128_t* tile, const int16_t* x, size_t count, int32_t* c) {
  i32x4 sums[4];
  for (size_t i = 0; i < 4; ++i)
    sums[i] = count >= kTileColumns ? load(c + 4 * i)
                                    : load_some(c + 4 * i, count > 4 * i ? count - 4 * i : 0);
  for (size_t pair = 0; pair < kTileParts; pair += 4) {
    const v128_t factors = wasm_v128_load32_splat(x + pair / 2);
    for (size_t i = 0; i < 4; ++i) sums[i] += as_i32(wasm_i32x4_dot_i16x8(tile[pair + i], factors));
  }
  for (size_t i = 0; i < 4; ++i) {
    if (count >= kTileColumns) {
      store(c + 4 * i, sums[i]);
    } else if (count > 4 * i) {
      store_some(c + 4 * i, count - 4 * i, sums[i]);
    }
  }
}

// Computes the columns first..last of the rows begin..end, at most `width` columns at a time.
template <bool kIsOneRow>
void multiply_part(const WholeProduct& product, size_t begin, size_t end, size_t first, size_t last,
                   size_t width) {
  const size_t n = product.shape.n, k = product.shape.k;
  for (size_t strip = first; strip < last; strip += width) {
    const size_t stop = std::min(last, strip + width);
    for (size_t row = begin; row < end; ++row)
      std::fill(product.c + row * n + strip, product.c + row * n + stop, 0);
    for (size_t p = 0; p < k; p += kTileRows) {
      for (size_t column = strip; column < stop; column += kTileColumns) {
        v128_t tile[kTileParts];
        load_tile(product.w + p * n + column, n, k - p, tile);
        const size_t count = stop - column;
        if constexpr (kIsOneRow) {
          add_tile(tile, product.x + begin * product.depth + p, count,
                   product.c + begin * n + column);
        } else {
          for (size_t row = begin; row < end; ++row)
            add_tile(tile, product.x + row * product.depth + p, count,
                     product.c + row * n + column);
        }
      }
    }
  }
}

void multiply_whole(const WholeProduct& product) {
  constexpr size_t kOneRowWidth = 1024, kWidth = 64, kRows = 32;
  const size_t m = product.shape.m, n = product.shape.n;
  parallel_ranges(
      ceil_divide(n, kWidth), m * product.shape.k * kWidth / 4, [&](size_t begin, size_t end) {
        const size_t first = begin * kWidth, last = std::min(n, end * kWidth);
        if (m <= 2) {
          for (size_t row = 0; row < m; ++row)
            multiply_part<true>(product, row, row + 1, first, last, kOneRowWidth);
          return;
        }
        for (size_t row = 0; row < m; row += kRows)
          multiply_part<false>(product, row, std::min(m, row + kRows), first, last, kWidth);
      });
}

// The product with [n, k].
void multiply_whole_turned(const WholeProduct& product) {
  const size_t m = product.shape.m, n = product.shape.n, k = product.shape.k;
  parallel_ranges(n, m * k / 4, [&](size_t first, size_t last) {
    for (size_t column = first; column < last; ++column) {
      const int8_t* const from = product.w + column * k;
      for (size_t row = 0; row < m; ++row) {
        const int16_t* const x = product.x + row * product.depth;
        i32x4 low = splat(0), high = splat(0);
        for (size_t p = 0; p < k; p += 16) {
          const v128_t weights = wasm_v128_load(from + p);
          low += as_i32(
              wasm_i32x4_dot_i16x8(wasm_i16x8_extend_low_i8x16(weights), wasm_v128_load(x + p)));
          high += as_i32(wasm_i32x4_dot_i16x8(wasm_i16x8_extend_high_i8x16(weights),
                                              wasm_v128_load(x + p + 8)));
        }
        const i32x4 sum = low + high;
        product.c[row * n + column] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
      }
    }
  });
}

}  // namespace

bool multiply_stored_integers(const StoredShape& shape, const Operand* inputs, int32_t* output) {
  const int32_t* const x = inputs[0].as<int32_t>();
  const size_t depth = round_up(shape.k, 16);
  int16_t* const narrow = borrow_scratch<int16_t>(uint64_t{shape.m} * depth);
  if (narrow == nullptr) return false;
  for (size_t row = 0; row < shape.m; ++row) {
    int16_t* const to = narrow + row * depth;
    for (size_t p = 0; p < shape.k; ++p) to[p] = static_cast<int16_t>(x[row * shape.k + p]);
    std::fill(to + shape.k, to + depth, int16_t{0});
  }
  const WholeProduct product{shape, narrow, depth, inputs[1].as<int8_t>(), output};
  if (shape.transpose_b) {
    multiply_whole_turned(product);
  } else {
    multiply_whole(product);
  }
  return true;
}

}  // namespace tfpy
