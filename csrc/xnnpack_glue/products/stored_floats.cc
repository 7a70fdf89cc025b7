// Products of floats and weights that stay as they are stored. The weights are converted to floats
// in registers, or for many rows in strips of columns.

#include <algorithm>
#include <vector>

#include "products/stored_product.h"
#include "products/weights_gemm.h"
#include "program/arena.h"
#include "simd/multiply_add.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kFewRows = 4;      // up to this many rows, weights are converted for each row
constexpr size_t kCachedRows = 32;  // rows with cache lines that stay in L1, wherever they are
constexpr size_t kStrip = 64;       // columns that are converted to floats for more rows

// A range of rows of the weights with the same scales.
struct Run {
  size_t begin, end, group;
};

// Weights of kBits bits in chunks of 16 bytes. Number i of each lane of a chunk is converted where
// it is in the lane, which multiplies it by a power of two. All but the highest one are made
// positive by adding `kOffset`, so that they need no sign extension.
template <size_t kBits>
struct Chunk {
  static constexpr size_t kParts = 32 / kBits;  // numbers in a lane
  static constexpr size_t kCount = 4 * kParts;  // numbers in a chunk
  static constexpr size_t kOffset = 1 << (kBits - 1);
  static constexpr uint32_t kFlip =
      kBits == 8 ? 0x00808080u : 0x08888888u;  // adds the offset to two's complements

  static float offset(size_t part) { return part + 1 < kParts ? float{kOffset} : 0.0f; }
  static float factor(size_t part) {
    return 1.0f / static_cast<float>(uint64_t{1} << (kBits * part));
  }
  static v128_t load(const void* from) {
    return wasm_v128_xor(wasm_v128_load(from), wasm_u32x4_splat(kFlip));
  }
  static f32x4 part(v128_t chunk, const uint32_t* masks, size_t i) {
    return to_f32(as_i32(wasm_v128_and(chunk, wasm_v128_load(masks + 4 * i))));
  }
  // Stores parts [kParts] in the order of the weights.
  static void store(const f32x4* parts, float* to) {
    for (size_t i = 0; i < kParts; i += 4)
      store_transposed<float>(parts[i], parts[i + 1], parts[i + 2], parts[i + 3], to + i, kParts);
  }
};

struct Scales {
  const float* scale;  // [groups, n]; null: all are 1
  const int8_t* zero;
  const int32_t* group;  // [k]
};

struct FloatProduct {
  StoredShape shape;
  const float* x;
  const uint8_t* w;
  Scales scales;
  const uint32_t* masks;  // of the parts of a lane
  float* c;
};

// Calls body(run) for ranges of rows that cover the weights.
template <class Body>
void for_runs(const FloatProduct& product, const Body& body) {
  const int32_t* const group = product.scales.scale == nullptr ? nullptr : product.scales.group;
  for (size_t begin = 0; begin < product.shape.k;) {
    size_t end = group == nullptr ? product.shape.k : begin + 1;
    while (end < product.shape.k && group[end] == group[begin]) ++end;
    body(Run{begin, end, group == nullptr ? 0 : static_cast<size_t>(group[begin])});
    begin = end;
  }
}

float sum_of(const float* x, const Run& run) {
  float sum = 0;
  for (size_t p = run.begin; p < run.end; ++p) sum += x[p];
  return sum;
}

// Adds the products of the rows begin..end of the weights and one row of x to sums [chunks, parts].
template <size_t kBits>
void add_rows(const FloatProduct& product, const float* x, const Run& rows, size_t first,
              size_t last, f32x4* sums) {
  using C = Chunk<kBits>;
  const size_t stride = product.shape.row_bytes();
  const uint32_t* const masks = product.masks;
  for (size_t chunk = first; chunk < last; ++chunk, sums += C::kParts) {
    const uint8_t* from = product.w + rows.begin * stride + chunk * 16;
    f32x4 found[C::kParts];
    for (size_t i = 0; i < C::kParts; ++i) found[i] = sums[i];
#pragma unroll 1
    for (size_t p = rows.begin; p < rows.end; ++p, from += stride) {
      const v128_t weights = C::load(from);
      const f32x4 factor = splat(x[p]);
      for (size_t i = 0; i < C::kParts; ++i)
        found[i] = multiply_add(C::part(weights, masks, i), factor, found[i]);
    }
    for (size_t i = 0; i < C::kParts; ++i) sums[i] = found[i];
  }
}

// Computes the columns of the chunks first..last, in one row of the product.
template <size_t kBits>
void multiply_row(const FloatProduct& product, size_t row, size_t first, size_t last, f32x4* sums) {
  using C = Chunk<kBits>;
  const size_t n = product.shape.n;
  const float* const x = product.x + row * product.shape.k;
  float* const c = product.c + row * n;
  std::fill(c + first * C::kCount, c + std::min(last * C::kCount, n), 0.0f);
  for_runs(product, [&](const Run& run) {
    std::fill_n(sums, (last - first) * C::kParts, splat(0.0f));
    for (size_t p = run.begin; p < run.end; p += kCachedRows)
      add_rows<kBits>(product, x, {p, std::min(p + kCachedRows, run.end), 0}, first, last, sums);
    const float total = sum_of(x, run);
    for (size_t chunk = first; chunk < last; ++chunk) {
      f32x4* const parts = sums + (chunk - first) * C::kParts;
      for (size_t i = 0; i < C::kParts; ++i)
        parts[i] = parts[i] * splat(C::factor(i)) - splat(C::offset(i) * total);
      float found[C::kCount];
      C::store(parts, found);
      const size_t column = chunk * C::kCount, count = std::min(C::kCount, n - column);
      if (product.scales.scale == nullptr) {
        add_to(found, count, c + column);
        continue;
      }
      const float* const scale = product.scales.scale + run.group * n + column;
      const int8_t* const zero = product.scales.zero + run.group * n + column;
      for (size_t j = 0; j < count; ++j) c[column + j] += scale[j] * (found[j] - zero[j] * total);
    }
  });
}

// Converts columns of the weights to floats [k, kStrip].
template <size_t kBits>
void convert_strip(const FloatProduct& product, size_t column, float* to) {
  using C = Chunk<kBits>;
  const size_t n = product.shape.n, stride = product.shape.row_bytes();
  const size_t count = std::min(kStrip, n - column);
  const uint32_t* const masks = product.masks;
  for_runs(product, [&](const Run& run) {
    for (size_t p = run.begin; p < run.end; ++p) {
      float* const out = to + p * kStrip;
      const uint8_t* const from = product.w + p * stride + column * kBits / 8;
      for (size_t j = 0; j < count; j += C::kCount) {
        const v128_t weights = C::load(from + j * kBits / 8);
        f32x4 parts[C::kParts];
        for (size_t i = 0; i < C::kParts; ++i)
          parts[i] = C::part(weights, masks, i) * splat(C::factor(i)) - splat(C::offset(i));
        C::store(parts, out + j);
      }
      if (product.scales.scale == nullptr) continue;
      const float* const scale = product.scales.scale + run.group * n + column;
      const int8_t* const zero = product.scales.zero + run.group * n + column;
      for (size_t j = 0; j < count; ++j) out[j] = (out[j] - zero[j]) * scale[j];
    }
  });
}

template <size_t kBits>
bool multiply_rows(const FloatProduct& product) {
  const size_t m = product.shape.m, n = product.shape.n, k = product.shape.k;
  const size_t strips = ceil_divide(n, kStrip), tasks = task_count(strips, m * k * kStrip);
  const size_t each = 2 * k * kStrip;
  float* const scratch = borrow_scratch<float>(uint64_t{tasks} * each);
  if (scratch == nullptr) return false;
  parallel_shares(strips, tasks, [&](size_t task, size_t begin, size_t end) {
    float* const strip = scratch + task * each;
    float* const packed = strip + k * kStrip;
    for (size_t i = begin; i < end; ++i) {
      const size_t column = i * kStrip, width = std::min(kStrip, n - column);
      convert_strip<kBits>(product, column, strip);
      pack_weights({strip, kStrip, 1}, k, width, packed);
      multiply_weights_serial({m, width, k, product.x, k, packed, product.c + column, n});
    }
  });
  return true;
}

// A row of x for products with [n, k]: its numbers in the order of the parts of chunks, then for
// each run the sum of the numbers and what the offsets of the weights add to a product.
template <size_t kBits>
void turn_row(const float* x, size_t k, size_t depth, const std::vector<Run>& runs, float* to) {
  using C = Chunk<kBits>;
  for (size_t p = 0; p < depth; ++p) {
    const size_t in_chunk = p % C::kCount, part = in_chunk % C::kParts;
    to[p - in_chunk + 4 * part + in_chunk / C::kParts] = p < k ? x[p] * C::factor(part) : 0.0f;
  }
  float* sums = to + depth;
  for (const Run& run : runs) {
    float added = 0;
    for (size_t p = run.begin; p < run.end; ++p) added += x[p] * C::offset(p % C::kParts);
    *sums++ = sum_of(x, run);
    *sums++ = added;
  }
}

// Multiplies a row of x from turn_row() by the numbers of a run, which are contiguous.
template <size_t kBits>
float multiply_run(const float* x, const uint8_t* w, const uint32_t* masks, const Run& run) {
  using C = Chunk<kBits>;
  f32x4 sums[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
  for (size_t p = run.begin; p < run.end; p += C::kCount) {
    const v128_t weights = C::load(w + p * kBits / 8);
    for (size_t i = 0; i < C::kParts; ++i)
      sums[i % 4] = multiply_add(C::part(weights, masks, i), load(x + p + 4 * i), sums[i % 4]);
  }
  const f32x4 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The product with [n, k].
template <size_t kBits>
bool multiply_turned(const FloatProduct& product) {
  const size_t m = product.shape.m, n = product.shape.n, k = product.shape.k;
  const size_t depth = round_up(k, Chunk<kBits>::kCount), stride = product.shape.row_bytes();
  std::vector<Run> runs;
  for_runs(product, [&](const Run& run) { runs.push_back(run); });
  const size_t each = depth + 2 * runs.size();
  float* const rows = borrow_scratch<float>(uint64_t{m} * each);
  if (rows == nullptr) return false;
  for (size_t row = 0; row < m; ++row)
    turn_row<kBits>(product.x + row * k, k, depth, runs, rows + row * each);
  const auto element = [&](const float* x, size_t column) {
    const float* sums = x + depth;
    float total = 0;
    for (const Run& run : runs) {
      const uint8_t* const w = product.w + column * stride;
      const float sum = *sums++, added = *sums++;
      const float found = multiply_run<kBits>(x, w, product.masks, run) - added;
      const size_t at = run.group * n + column;
      total += product.scales.scale == nullptr
                   ? found
                   : product.scales.scale[at] * (found - product.scales.zero[at] * sum);
    }
    return total;
  };
  parallel_ranges(n, m * k, [&](size_t first, size_t last) {
    for (size_t column = first; column < last; ++column) {
      for (size_t row = 0; row < m; ++row)
        product.c[row * n + column] = element(rows + row * each, column);
    }
  });
  return true;
}

// Returns true if each chunk of the weights [n, k] has one scale.
template <size_t kBits>
bool has_whole_runs(const FloatProduct& product) {
  bool is_whole = true;
  for_runs(product,
           [&](const Run& run) { is_whole = is_whole && run.begin % Chunk<kBits>::kCount == 0; });
  return is_whole;
}

int32_t number_at(const uint8_t* row, size_t at, size_t bits) {
  if (bits == 8) return static_cast<int8_t>(row[at]);
  const int8_t both = static_cast<int8_t>(row[at / 2]);
  return at % 2 ? both >> 4 : static_cast<int8_t>(both << 4) >> 4;
}

// The product with [n, k] for groups of any sizes.
void multiply_turned_plainly(const FloatProduct& product) {
  const size_t n = product.shape.n, k = product.shape.k, bits = product.shape.bits;
  const size_t stride = product.shape.row_bytes();
  parallel_ranges(product.shape.m * n, k * 8, [&](size_t first, size_t last) {
    for (size_t at = first; at < last; ++at) {
      const size_t column = at % n;
      const float* const x = product.x + at / n * k;
      float sum = 0;
      for (size_t p = 0; p < k; ++p) {
        const size_t scale = product.scales.group[p] * n + column;
        const int32_t number = number_at(product.w + column * stride, p, bits);
        sum += x[p] * product.scales.scale[scale] *
               static_cast<float>(number - product.scales.zero[scale]);
      }
      product.c[at] = sum;
    }
  });
}

template <size_t kBits>
bool multiply_floats(const FloatProduct& product) {
  const StoredShape& shape = product.shape;
  if (shape.transpose_b) {
    if (has_whole_runs<kBits>(product)) return multiply_turned<kBits>(product);
    multiply_turned_plainly(product);
    return true;
  }
  if (shape.m > kFewRows) return multiply_rows<kBits>(product);
  using C = Chunk<kBits>;
  const size_t chunks = ceil_divide(shape.n, C::kCount), work = shape.k * C::kCount;
  const size_t tasks = task_count(chunks, work);
  const size_t most = ceil_divide(chunks, tasks) * C::kParts;
  f32x4* const scratch = borrow_scratch<f32x4>(uint64_t{tasks} * most);
  if (scratch == nullptr) return false;
  parallel_shares(chunks, tasks, [&](size_t task, size_t first, size_t last) {
    for (size_t row = 0; row < shape.m; ++row)
      multiply_row<kBits>(product, row, first, last, scratch + task * most);
  });
  return true;
}

}  // namespace

bool multiply_stored_floats(const StoredShape& shape, const Operand* inputs, float* output) {
  Scales scales{};
  if (shape.groups != 0)
    scales = {inputs[2].as<float>(), inputs[3].as<int8_t>(), inputs[4].as<int32_t>()};
  const FloatProduct product{shape,  inputs[0].as<float>(),  inputs[1].as<uint8_t>(),
                             scales, part_masks(shape.bits), output};
  return shape.bits == 4 ? multiply_floats<4>(product) : multiply_floats<8>(product);
}

}  // namespace tfpy
