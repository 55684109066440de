// A panel of numbers side by side, in as many registers as the instruction set needs.
//
// Included by translation units that are compiled for different instruction sets: everything lives
// in an unnamed namespace, so that no function of one can be taken for that of another.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstring>
#include <type_traits>

#include "simd/panels.hpp"

namespace dcsvm {
namespace {

constexpr int n_lanes = static_cast<int>(panel_width);

#if defined(__AVX512F__)
constexpr int register_bytes = 64, n_vector_registers = 32;
#elif defined(__AVX__)
constexpr int register_bytes = 32, n_vector_registers = 16;
#elif defined(__aarch64__)
constexpr int register_bytes = 16, n_vector_registers = 32;
#else
constexpr int register_bytes = 16, n_vector_registers = 16;
#endif

// A register of numbers, and one of whole numbers as wide.
template <class Real>
struct RegisterOf;
template <>
struct RegisterOf<float> {
  typedef float Numbers __attribute__((vector_size(register_bytes)));
  typedef int32_t Whole __attribute__((vector_size(register_bytes)));
};
template <>
struct RegisterOf<double> {
  typedef double Numbers __attribute__((vector_size(register_bytes)));
  typedef int64_t Whole __attribute__((vector_size(register_bytes)));
};
template <class Real>
using Register = typename RegisterOf<Real>::Numbers;
template <class Real>
using WholeRegister = typename RegisterOf<Real>::Whole;

template <class Real>
constexpr int register_lanes = register_bytes / static_cast<int>(sizeof(Real));
template <class Real>
constexpr int n_registers = n_lanes / register_lanes<Real>;

template <class Real>
struct Lanes {
  Register<Real> part[n_registers<Real>];
};

#define DCSVM_EACH_REGISTER(Real) \
  _Pragma("GCC unroll 8") for (int i = 0; i < n_registers<Real>; ++i)

template <class Real>
inline Lanes<Real> broadcast(Real x) {
  Lanes<Real> y;
  DCSVM_EACH_REGISTER(Real) y.part[i] = x - Register<Real>{};
  return y;
}

template <class Real>
inline Lanes<Real> load(const Real* from) {
  Lanes<Real> y;
  DCSVM_EACH_REGISTER(Real)
  std::memcpy(&y.part[i], from + i * register_lanes<Real>, register_bytes);
  return y;
}

template <class Real>
inline void store(Real* to, const Lanes<Real>& x) {
  DCSVM_EACH_REGISTER(Real) std::memcpy(to + i * register_lanes<Real>, &x.part[i], register_bytes);
}

#define DCSVM_LANEWISE(op)                                                     \
  template <class Real>                                                        \
  inline Lanes<Real> operator op(const Lanes<Real>& a, const Lanes<Real>& b) { \
    Lanes<Real> y;                                                             \
    DCSVM_EACH_REGISTER(Real) y.part[i] = a.part[i] op b.part[i];              \
    return y;                                                                  \
  }
DCSVM_LANEWISE(+)
DCSVM_LANEWISE(-)
DCSVM_LANEWISE(*)
DCSVM_LANEWISE(/)
#undef DCSVM_LANEWISE

// a * b + c, in one rounding where the instruction set has it.
template <class Real>
inline Lanes<Real> multiply_add(const Lanes<Real>& a, const Lanes<Real>& b, const Lanes<Real>& c) {
  Lanes<Real> y;
  DCSVM_EACH_REGISTER(Real) y.part[i] = a.part[i] * b.part[i] + c.part[i];
  return y;
}

template <class Real>
inline Lanes<Real> clamp(const Lanes<Real>& x, Real low, Real high) {
  Lanes<Real> y;
  DCSVM_EACH_REGISTER(Real) {
    y.part[i] = x.part[i] > low ? x.part[i] : low - Register<Real>{};
    y.part[i] = y.part[i] < high ? y.part[i] : high - Register<Real>{};
  }
  return y;
}

// What exp2 needs to know of a number format.
template <class Real>
struct Exp2;

// The polynomial's relative error is below 2.5e-7.
template <>
struct Exp2<float> {
  static constexpr float largest = 126.0f;
  static constexpr float rounder = 12582912.0f;  // 1.5 * 2^23
  static constexpr int mantissa_bits = 23;
  static constexpr float coefficients[] = {0.0013276472f, 0.009675541f, 0.05550713f,
                                           0.2402212f,    0.69314694f,  1.0000001f};
};

// The polynomial's relative error is below 1e-17; rounding adds some 2e-16.
template <>
struct Exp2<double> {
  static constexpr double largest = 1022.0;
  static constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int mantissa_bits = 52;
  static constexpr double coefficients[] = {
      4.435281892117942e-10,  7.074105613499429e-09, 1.0178198027112659e-07, 1.3215433089671955e-06,
      1.5252733489975454e-05, 1.540353046251445e-04, 1.3333558146789936e-03, 9.618129107588335e-03,
      5.5504108664819925e-02, 0.24022650695910155,   0.6931471805599453,     1.0};
};

// 2^x for x within ± Exp2::largest; outside, that of the nearer end.
//
// x = n + f with n whole and |f| <= 1/2: adding the rounder rounds x to n and leaves n in the low
// bits, from where it is added to the exponent of a polynomial in f (minimax in the relative
// error).
template <class Real>
inline Lanes<Real> exp2(const Lanes<Real>& x) {
  using Format = Exp2<Real>;
  constexpr int n_coefficients = sizeof Format::coefficients / sizeof(Real);
  const Lanes<Real> t = clamp(x, -Format::largest, Format::largest);
  Lanes<Real> y;
  DCSVM_EACH_REGISTER(Real) {
    const Register<Real> shifted = t.part[i] + Format::rounder;
    const Register<Real> f = t.part[i] - (shifted - Format::rounder);
    Register<Real> p = f * Format::coefficients[0] + Format::coefficients[1];
#pragma GCC unroll 16
    for (int c = 2; c < n_coefficients; ++c) p = p * f + Format::coefficients[c];
    WholeRegister<Real> n, bits;
    std::memcpy(&n, &shifted, sizeof n);
    std::memcpy(&bits, &p, sizeof bits);
    bits += n << Format::mantissa_bits;
    std::memcpy(&y.part[i], &bits, sizeof bits);
  }
  return y;
}

// tanh x = 1 - 2 / (exp 2x + 1), with an absolute error below 5e-7, or 5e-16.
template <class Real>
inline Lanes<Real> tanh(const Lanes<Real>& x) {
  constexpr auto two_log2_e = static_cast<Real>(2.8853900817779268);
  const Lanes<Real> e = exp2(x * broadcast(two_log2_e));
  return broadcast(Real{1}) - broadcast(Real{2}) / (e + broadcast(Real{1}));
}

template <class Real>
inline Lanes<Real> power(Lanes<Real> base, int exponent) {
  Lanes<Real> y = broadcast(Real{1});
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) y = y * base;
    base = base * base;
  }
  return y;
}

template <class Real>
inline Lanes<Real> select(const Lanes<Real>& a, const Lanes<Real>& b, const Lanes<Real>& if_greater,
                          const Lanes<Real>& if_not) {
  Lanes<Real> y;
  DCSVM_EACH_REGISTER(Real) y.part[i] = a.part[i] > b.part[i] ? if_greater.part[i] : if_not.part[i];
  return y;
}

// All bits of a lane set where its bit is.
template <class Real>
inline WholeRegister<Real> spread_bits(uint64_t bits) {
  WholeRegister<Real> number;
  for (int lane = 0; lane < register_lanes<Real>; ++lane) number[lane] = lane;
  using Whole = std::decay_t<decltype(number[0])>;
  return -((static_cast<Whole>(bits) - WholeRegister<Real>{}) >> number & 1);
}

// Lane l of a where bit l is set, else of b.
template <class Real>
inline Lanes<Real> where_set(unsigned bits, const Lanes<Real>& a, const Lanes<Real>& b) {
  Lanes<Real> y;
  DCSVM_EACH_REGISTER(Real)
  y.part[i] = spread_bits<Real>(bits >> (i * register_lanes<Real>)) ? a.part[i] : b.part[i];
  return y;
}

// Bit l says whether lane l of a and b is equal.
inline unsigned equal_lanes(const Lanes<float>& a, const Lanes<float>& b) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask((__m512)a.part[0], (__m512)b.part[0], _CMP_EQ_OQ);
#elif defined(__aarch64__)
  constexpr uint32x4_t bit = {1, 2, 4, 8};
  unsigned bits = 0;
  DCSVM_EACH_REGISTER(float) {
    const auto equal = (uint32x4_t)(a.part[i] == b.part[i]);
    bits |= vaddvq_u32(equal & bit) << (i * register_lanes<float>);
  }
  return bits;
#else
  unsigned bits = 0;
  DCSVM_EACH_REGISTER(float) {
    const auto equal = a.part[i] == b.part[i];
    for (int lane = 0; lane < register_lanes<float>; ++lane)
      bits |= static_cast<unsigned>(equal[lane] & 1) << (i * register_lanes<float> + lane);
  }
  return bits;
#endif
}

// The lower and the upper half of the lanes, in registers all the while.
typedef float EightLanes __attribute__((vector_size(32)));
typedef float FourLanes __attribute__((vector_size(16)));

inline void halves(const Lanes<float>& x, EightLanes& lower, EightLanes& upper) {
#if defined(__AVX512F__)
  lower = (EightLanes)_mm512_castps512_ps256((__m512)x.part[0]);
  upper = (EightLanes)_mm512_extractf32x8_ps((__m512)x.part[0], 1);
#elif defined(__AVX__)
  lower = x.part[0];
  upper = x.part[1];
#else
  std::memcpy(&lower, &x.part[0], sizeof lower);
  std::memcpy(&upper, &x.part[2], sizeof upper);
#endif
}

inline void halves(const EightLanes& x, FourLanes& lower, FourLanes& upper) {
#if defined(__AVX__)
  lower = (FourLanes)_mm256_castps256_ps128((__m256)x);
  upper = (FourLanes)_mm256_extractf128_ps((__m256)x, 1);
#else
  std::memcpy(&lower, &x, sizeof lower);
  std::memcpy(&upper, reinterpret_cast<const char*>(&x) + sizeof lower, sizeof upper);
#endif
}

typedef double EightDoubles __attribute__((vector_size(64)));
typedef double FourDoubles __attribute__((vector_size(32)));
typedef double TwoDoubles __attribute__((vector_size(16)));

inline double sum_of_eight(const EightDoubles& eight) {
  FourDoubles part[2];
  std::memcpy(part, &eight, sizeof eight);
  const FourDoubles four = part[0] + part[1];
  TwoDoubles pair[2];
  std::memcpy(pair, &four, sizeof four);
  const TwoDoubles two = pair[0] + pair[1];
  return two[0] + two[1];
}

// Sum of the lanes, in double precision and in one order on every instruction set.
inline double sum_of_lanes(const Lanes<float>& x) {
  EightLanes lower, upper;
  halves(x, lower, upper);
  return sum_of_eight(__builtin_convertvector(lower, EightDoubles) +
                      __builtin_convertvector(upper, EightDoubles));
}

inline double sum_of_lanes(const Lanes<double>& x) {
  EightDoubles half[2];
  std::memcpy(half, &x, sizeof x);
  return sum_of_eight(half[0] + half[1]);
}

// What is left of the lanes when they meet two by two.
template <class Meet>
inline float fold_lanes(const Lanes<float>& x, Meet meet) {
  EightLanes lower, upper;
  halves(x, lower, upper);
  FourLanes low, high;
  halves(meet(lower, upper), low, high);
  const FourLanes four = meet(low, high);
  return meet(meet(four[0], four[2]), meet(four[1], four[3]));
}

template <class Meet>
inline double fold_lanes(const Lanes<double>& x, Meet meet) {
  double lane[n_lanes];
  store(lane, x);
  for (int width = n_lanes / 2; width > 0; width /= 2)
    for (int l = 0; l < width; ++l) lane[l] = meet(lane[l], lane[l + width]);
  return lane[0];
}

// Sum of the lanes in their own precision.
inline float own_sum_of_lanes(const Lanes<float>& x) {
  return fold_lanes(x, [](const auto& a, const auto& b) { return a + b; });
}

inline double own_sum_of_lanes(const Lanes<double>& x) { return sum_of_lanes(x); }

template <class Real>
inline Real lowest_lane(const Lanes<Real>& x) {
  return fold_lanes(x, [](const auto& a, const auto& b) { return a < b ? a : b; });
}

template <class Real>
inline Real highest_lane(const Lanes<Real>& x) {
  return fold_lanes(x, [](const auto& a, const auto& b) { return a > b ? a : b; });
}

}  // namespace
}  // namespace dcsvm
