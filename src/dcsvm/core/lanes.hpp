// Sixteen floats side by side, in as many registers as the instruction set needs.
//
// Included by translation units that are compiled for different instruction sets: everything lives
// in an unnamed namespace, so that no function of one can be taken for that of another.
#pragma once

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

// Sum of the lanes, in double precision and in one order on every instruction set.
inline double sum_of_lanes(const Lanes& x) {
  float lane[n_lanes];
  store(lane, x);
  double four[4];
  for (int i = 0; i < 4; ++i)
    four[i] = (static_cast<double>(lane[i]) + lane[i + 8]) +
              (static_cast<double>(lane[i + 4]) + lane[i + 12]);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

}  // namespace
}  // namespace dcsvm
