// What this x86 processor, and the operating system on it, offer beyond the baseline.
//
// __builtin_cpu_supports would say it too, but not in programs for Windows: what it reads there is
// in a library that their linker does not add. <cpuid.h> contradicts Microsoft's headers.
#pragma once

#include <initializer_list>

#include "data/integers.hpp"

namespace dcsvm {

struct ProcessorFeatures {
  bool avx2_fma, avx512;  // the latter: F, DQ, VL and BW
};

// The registers that the instruction CPUID fills.
struct Cpuid {
  uint32_t a, b, c, d;

  explicit Cpuid(uint32_t leaf) {
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(leaf), "c"(0));
  }
};

// Which registers the operating system saves; only where the processor has the instruction.
inline uint64_t saved_registers() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | uint64_t{high} << 32;
}

inline ProcessorFeatures processor_features() {
  const auto has = [](uint64_t bits, std::initializer_list<int> wanted) {
    for (const int bit : wanted)
      if ((bits >> bit & 1) == 0) return false;
    return true;
  };
  constexpr uint32_t needed = 7;
  if (Cpuid(0).a < needed) return {false, false};
  const Cpuid basic(1), extended(needed);
  if (!has(basic.c, {27})) return {false, false};  // xgetbv
  const uint64_t saved = saved_registers();
  const bool avx2 = has(saved, {1, 2}) && has(basic.c, {12, 28}) && has(extended.b, {5});
  return {avx2, avx2 && has(saved, {5, 6, 7}) && has(extended.b, {16, 17, 30, 31})};
}

}  // namespace dcsvm
