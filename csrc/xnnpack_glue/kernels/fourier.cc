// The discrete Fourier transform along the middle axis of [outer, n, inner], for real and imaginary
// planes; the output is [2, outer, n, inner].
//
// Lengths are split into factors up to kLargestFactor with one Stockham pass per factor, which
// keeps the result in order. Other lengths use a convolution of a power-of-two length (Bluestein,
// https://ccrma.stanford.edu/~jos/mdft/Bluestein_s_FFT_Algorithm.html).
#include <math.h>
#include <stdint.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/sizes.h"
#include "program/kernel.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tfpy {
namespace {

constexpr size_t kLargestFactor = 13;
constexpr size_t kLanes = 4;  // parallel transforms, one per SIMD lane

struct Complex {
  float re, im;
};

// Four complex numbers, one per transform.
struct Lanes {
  f32x4 re, im;
};

inline Lanes operator+(Lanes a, Lanes b) { return {a.re + b.re, a.im + b.im}; }
inline Lanes operator-(Lanes a, Lanes b) { return {a.re - b.re, a.im - b.im}; }
inline Lanes operator*(Lanes a, Complex w) {
  const f32x4 re = splat(w.re), im = splat(w.im);
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
inline Lanes times_i(Lanes a) { return {-a.im, a.re}; }

// Returns exp(sign * 2 pi i * k / n).
Complex root(uint64_t k, uint64_t n, int sign) {
  const double angle = sign * 2 * M_PI * static_cast<double>(k % n) / static_cast<double>(n);
  return {static_cast<float>(cos(angle)), static_cast<float>(sin(angle))};
}

// Returns the factors of n, fours first; empty if a factor is too large.
std::vector<size_t> factors_of(size_t n) {
  std::vector<size_t> factors;
  while (n % 4 == 0) factors.push_back(4), n /= 4;
  for (size_t f = 2; f <= kLargestFactor; ++f) {
    while (n % f == 0) factors.push_back(f), n /= f;
  }
  return n == 1 ? factors : std::vector<size_t>();
}

// Transforms of one length with small factors.
class Stockham {
 public:
  Stockham(size_t n, int sign, std::vector<size_t> factors) : n_(n), sign_(sign) {
    size_t done = 1;
    for (const size_t radix : factors) {
      Pass pass{radix, done, {}, {}};
      // Element k of the finished part is multiplied with piece q by exp(sign 2 pi i k q / (done
      // radix)).
      for (size_t k = 0; k < done; ++k) {
        for (size_t q = 0; q < radix; ++q) pass.twiddles.push_back(root(k * q, done * radix, sign));
      }
      for (size_t q = 0; q < radix; ++q) pass.roots.push_back(root(q, radix, sign));
      passes_.push_back(std::move(pass));
      done *= radix;
    }
  }

  size_t length() const { return n_; }

  // Transforms x (n elements); `other` has the same size. Returns a pointer to the result, in one
  // of them.
  Lanes* run(Lanes* x, Lanes* other) const {
    for (const Pass& pass : passes_) {
      apply(pass, x, other);
      std::swap(x, other);
    }
    return x;
  }

 private:
  struct Pass {
    size_t radix;
    size_t done;  // product of the radices before
    std::vector<Complex> twiddles, roots;
  };

  // x is [radix, rest, done] and `to` becomes [rest, radix, done].
  void apply(const Pass& pass, const Lanes* x, Lanes* to) const {
    const size_t radix = pass.radix, done = pass.done, rest = n_ / radix / done;
    for (size_t r = 0; r < rest; ++r) {
      for (size_t k = 0; k < done; ++k) {
        const Complex* twiddle = &pass.twiddles[k * radix];
        const Lanes* from = x + r * done + k;
        Lanes* out = to + r * radix * done + k;
        Lanes in[kLargestFactor];
        in[0] = from[0];
        for (size_t q = 1; q < radix; ++q) in[q] = from[q * rest * done] * twiddle[q];
        butterfly(pass, in, out);
      }
    }
  }

  void butterfly(const Pass& pass, const Lanes* in, Lanes* out) const {
    const size_t radix = pass.radix, done = pass.done;
    if (radix == 2) {
      out[0] = in[0] + in[1];
      out[done] = in[0] - in[1];
    } else if (radix == 4) {
      const Lanes even = in[0] + in[2], odd = in[0] - in[2];
      const Lanes sum = in[1] + in[3];
      const Lanes turned = sign_ > 0 ? times_i(in[1] - in[3]) : times_i(in[3] - in[1]);
      out[0] = even + sum;
      out[done] = odd + turned;
      out[2 * done] = even - sum;
      out[3 * done] = odd - turned;
    } else {
      for (size_t p = 0; p < radix; ++p) {
        Lanes total = in[0];
        for (size_t q = 1; q < radix; ++q) total = total + in[q] * pass.roots[p * q % radix];
        out[p * done] = total;
      }
    }
  }

  size_t n_;
  int sign_;
  std::vector<Pass> passes_;
};

std::unique_ptr<Stockham> make_stockham(size_t n, int sign) {
  std::vector<size_t> factors = factors_of(n);
  if (factors.empty() && n != 1) return nullptr;
  return std::make_unique<Stockham>(n, sign, std::move(factors));
}

// Transforms of one arbitrary length.
class Transform {
 public:
  Transform(size_t n, int sign) : n_(n), direct_(make_stockham(n, sign)) {
    if (direct_ != nullptr) return;
    size_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    forward_ = make_stockham(m, -1);
    backward_ = make_stockham(m, 1);
    // k j = (k^2 + j^2 - (k - j)^2) / 2 turns the transform into a convolution with chirps.
    std::vector<Lanes> a(m, Lanes{splat(0.0f), splat(0.0f)}), b(m);
    for (size_t k = 0; k < n; ++k) {
      chirp_.push_back(root(uint64_t{k} * k, 2 * uint64_t{n}, sign));
      const Lanes inverse = {splat(chirp_[k].re), splat(-chirp_[k].im)};
      a[k] = inverse;
      if (k > 0) a[m - k] = inverse;
    }
    const Lanes* spectrum = forward_->run(a.data(), b.data());
    for (size_t k = 0; k < m; ++k) {
      filter_.push_back(
          {spectrum[k].re[0] / static_cast<float>(m), spectrum[k].im[0] / static_cast<float>(m)});
    }
  }

  // Number of elements of each of the two arrays of run().
  size_t work_length() const { return direct_ != nullptr ? n_ : forward_->length(); }

  Lanes* run(Lanes* x, Lanes* other) const {
    if (direct_ != nullptr) return direct_->run(x, other);
    const size_t m = forward_->length();
    for (size_t k = 0; k < n_; ++k) x[k] = x[k] * chirp_[k];
    std::fill(x + n_, x + m, Lanes{splat(0.0f), splat(0.0f)});
    Lanes* spectrum = forward_->run(x, other);
    for (size_t k = 0; k < m; ++k) spectrum[k] = spectrum[k] * filter_[k];
    Lanes* result = backward_->run(spectrum, spectrum == x ? other : x);
    for (size_t k = 0; k < n_; ++k) result[k] = result[k] * chirp_[k];
    return result;
  }

 private:
  size_t n_;
  std::unique_ptr<Stockham> direct_, forward_, backward_;
  std::vector<Complex> chirp_, filter_;
};

struct Planes {
  const float* re;
  const float* im;  // null if the input is real
};

// Transforms `lanes` columns that begin at the elements `at`.
void transform_columns(const Transform& transform, size_t n, size_t inner, Planes from,
                       const size_t* at, size_t lanes, Lanes* x, Lanes* other, float* re,
                       float* im) {
  for (size_t k = 0; k < n; ++k) {
    Lanes value = {splat(0.0f), splat(0.0f)};
    for (size_t lane = 0; lane < lanes; ++lane) {
      value.re[lane] = from.re[at[lane] + k * inner];
      if (from.im != nullptr) value.im[lane] = from.im[at[lane] + k * inner];
    }
    x[k] = value;
  }
  const Lanes* result = transform.run(x, other);
  for (size_t k = 0; k < n; ++k) {
    for (size_t lane = 0; lane < lanes; ++lane) {
      re[at[lane] + k * inner] = result[k].re[lane];
      im[at[lane] + k * inner] = result[k].im[lane];
    }
  }
}

}  // namespace

std::unique_ptr<Kernel> make_dft(StepSpec& step) {
  constexpr int32_t kLongest = 1 << 20;  // larger tables could fill the heap
  const size_t outer = step.params.number("outer"), n = step.params.number("n", 0, kLongest),
               inner = step.params.number("inner");
  const int sign = step.params.choice<int>("sign", {{"minus", -1}, {"plus", 1}});
  const size_t inputs = step.inputs.size();
  step.params.require(inputs == 1 || inputs == 2, "the number of inputs is wrong");
  step.require_float(inputs);
  const uint64_t count = product({outer, n, inner});
  for (const BufferSpec& input : step.inputs) step.require_count(input, count, "an input");
  step.require_count(step.output, product({2, count}), "the output");
  if (!step.ok()) return nullptr;
  if (count == 0) return make_kernel([](const Operand*, void*) {});
  auto transform = std::make_shared<const Transform>(n, sign);
  return make_kernel([=](const Operand* operands, void* output) {
    const Planes from = {operands[0].as<float>(), inputs == 2 ? operands[1].as<float>() : nullptr};
    float* re = static_cast<float*>(output);
    float* im = re + count;
    const size_t columns = outer * inner, groups = ceil_divide(columns, kLanes);
    const size_t length = transform->work_length();
    const size_t tasks = task_count(groups, length * 32);
    Block block;
    if (!Block::allocate(product({tasks, 2, length, sizeof(Lanes)}), &block)) return false;
    parallel_shares(groups, tasks, [&](size_t task, size_t begin, size_t end) {
      Lanes* x = block.as<Lanes>() + task * 2 * length;
      for (size_t group = begin; group < end; ++group) {
        const size_t first = group * kLanes, lanes = std::min(kLanes, columns - first);
        size_t at[kLanes];
        for (size_t lane = 0; lane < lanes; ++lane) {
          const size_t column = first + lane;
          at[lane] = column / inner * n * inner + column % inner;
        }
        transform_columns(*transform, n, inner, from, at, lanes, x, x + length, re, im);
      }
    });
    return true;
  });
}

}  // namespace tfpy
