// Sixteen floats side by side, in as many registers as the instruction set needs.
//
// Included by translation units that are compiled for different instruction sets: everything lives
// in an unnamed namespace, so that no function of one can be taken for that of another.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace dcsvm {
namespace {

#if defined(__AVX512F__)
constexpr int register_floats = 16;
#elif defined(__AVX__)
constexpr int register_floats = 8;
#else
constexpr int register_floats = 4;
#endif

constexpr int n_lanes = 16;
constexpr int n_registers = n_lanes / register_floats;

typedef float Register __attribute__((vector_size(register_floats * 4)));
typedef std::int32_t IntRegister __attribute__((vector_size(register_floats * 4)));

struct Lanes {
  Register part[n_registers];
};

#define DCSVM_EACH_REGISTER _Pragma("GCC unroll 4") for (int i = 0; i < n_registers; ++i)

inline Lanes broadcast(float x) {
  Lanes y;
  DCSVM_EACH_REGISTER y.part[i] = x - Register{};
  return y;
}

inline Lanes load(const float* from) {
  Lanes y;
  DCSVM_EACH_REGISTER std::memcpy(&y.part[i], from + i * register_floats, sizeof(Register));
  return y;
}

inline void store(float* to, const Lanes& x) {
  DCSVM_EACH_REGISTER std::memcpy(to + i * register_floats, &x.part[i], sizeof(Register));
}

#define DCSVM_LANEWISE(op)                                   \
  inline Lanes operator op(const Lanes& a, const Lanes& b) { \
    Lanes y;                                                 \
    DCSVM_EACH_REGISTER y.part[i] = a.part[i] op b.part[i];  \
    return y;                                                \
  }
DCSVM_LANEWISE(+)
DCSVM_LANEWISE(-)
DCSVM_LANEWISE(*)
DCSVM_LANEWISE(/)
#undef DCSVM_LANEWISE

// a * b + c, in one rounding where the instruction set has it.
inline Lanes multiply_add(const Lanes& a, const Lanes& b, const Lanes& c) {
  Lanes y;
  DCSVM_EACH_REGISTER y.part[i] = a.part[i] * b.part[i] + c.part[i];
  return y;
}

inline Lanes clamp(const Lanes& x, float low, float high) {
  Lanes y;
  DCSVM_EACH_REGISTER {
    y.part[i] = x.part[i] > low ? x.part[i] : low - Register{};
    y.part[i] = y.part[i] < high ? y.part[i] : high - Register{};
  }
  return y;
}

// 2^x with a relative error below 2.5e-7 for x in [-126, 126]; outside, that of the nearer end.
//
// x = n + f with n whole and |f| <= 1/2: adding 1.5·2^23 rounds x to n and leaves n in the low
// bits, from where it is added to the exponent of a polynomial in f (minimax in the relative
// error).
inline Lanes exp2(const Lanes& x) {
  constexpr float rounder = 12582912.0f;
  const Lanes t = clamp(x, -126.0f, 126.0f);
  Lanes y;
  DCSVM_EACH_REGISTER {
    const Register shifted = t.part[i] + rounder;
    const Register f = t.part[i] - (shifted - rounder);
    Register p = f * 0.0013276472f + 0.009675541f;
    p = p * f + 0.05550713f;
    p = p * f + 0.2402212f;
    p = p * f + 0.69314694f;
    p = p * f + 1.0000001f;
    IntRegister n, bits;
    std::memcpy(&n, &shifted, sizeof n);
    std::memcpy(&bits, &p, sizeof bits);
    bits += n << 23;
    std::memcpy(&y.part[i], &bits, sizeof bits);
  }
  return y;
}

// tanh x = 1 - 2 / (exp 2x + 1), with an absolute error below 5e-7.
inline Lanes tanh(const Lanes& x) {
  const Lanes e = exp2(x * broadcast(2.885390082f));
  return broadcast(1.0f) - broadcast(2.0f) / (e + broadcast(1.0f));
}

inline Lanes power(Lanes base, int exponent) {
  Lanes y = broadcast(1.0f);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) y = y * base;
    base = base * base;
  }
  return y;
}

// Bit l says whether lane l of a and b is equal.
inline unsigned equal_lanes(const Lanes& a, const Lanes& b) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask((__m512)a.part[0], (__m512)b.part[0], _CMP_EQ_OQ);
#else
  unsigned bits = 0;
  DCSVM_EACH_REGISTER {
    const auto equal = a.part[i] == b.part[i];
    for (int lane = 0; lane < register_floats; ++lane)
      bits |= static_cast<unsigned>(equal[lane] & 1) << (i * register_floats + lane);
  }
  return bits;
#endif
}

// The lower and the upper half of the lanes, in registers all the while.
typedef float EightLanes __attribute__((vector_size(32)));
typedef float FourLanes __attribute__((vector_size(16)));

inline void halves(const Lanes& x, EightLanes& lower, EightLanes& upper) {
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

// Sum of the lanes, in double precision and in one order on every instruction set.
inline double sum_of_lanes(const Lanes& x) {
  typedef double EightDoubles __attribute__((vector_size(64)));
  typedef double FourDoubles __attribute__((vector_size(32)));
  typedef double TwoDoubles __attribute__((vector_size(16)));
  EightLanes lower, upper;
  halves(x, lower, upper);
  const EightDoubles eight =
      __builtin_convertvector(lower, EightDoubles) + __builtin_convertvector(upper, EightDoubles);
  FourDoubles part[2];
  std::memcpy(part, &eight, sizeof eight);
  const FourDoubles four = part[0] + part[1];
  TwoDoubles pair[2];
  std::memcpy(pair, &four, sizeof four);
  const TwoDoubles two = pair[0] + pair[1];
  return two[0] + two[1];
}

// The same in single precision.
inline float float_sum_of_lanes(const Lanes& x) {
  EightLanes lower, upper;
  halves(x, lower, upper);
  FourLanes low, high;
  halves(lower + upper, low, high);
  const FourLanes four = low + high;
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// What is left of the lanes when they meet two by two.
template <class Meet>
inline float fold_lanes(const Lanes& x, Meet meet) {
  EightLanes lower, upper;
  halves(x, lower, upper);
  FourLanes low, high;
  halves(meet(lower, upper), low, high);
  const FourLanes four = meet(low, high);
  return meet(meet(four[0], four[2]), meet(four[1], four[3]));
}

inline float lowest_lane(const Lanes& x) {
  return fold_lanes(x, [](const auto& a, const auto& b) { return a < b ? a : b; });
}

inline float highest_lane(const Lanes& x) {
  return fold_lanes(x, [](const auto& a, const auto& b) { return a > b ? a : b; });
}

}  // namespace
}  // namespace dcsvm
