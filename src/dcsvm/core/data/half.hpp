// Numbers in half precision, as the table stores them.
#pragma once

#include <cstring>

#include "data/integers.hpp"

namespace dcsvm {

// Both without branches, so that loops over them become vectors. Always inlined: files compiled for
// other instruction sets use them too.
[[gnu::always_inline]] inline float from_half(uint16_t half) {
  constexpr uint32_t exponent_of_half = 0x7c00u << 13, infinite = 0x7f800000u;
  constexpr float from_bias_of_half = 0x1p112f;
  const uint32_t size = (half & 0x7fffu) << 13;
  float scaled;
  std::memcpy(&scaled, &size, sizeof scaled);
  scaled *= from_bias_of_half;  // exact, for subnormal numbers too
  uint32_t bits;
  std::memcpy(&bits, &scaled, sizeof bits);
  bits = size >= exponent_of_half ? (size | infinite) : bits;
  bits |= (half & 0x8000u) << 16;
  float number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

// To the nearest, of two as near to the even one; what is too large becomes infinite.
[[gnu::always_inline]] inline uint16_t to_half(float number) {
  constexpr uint32_t least_normal = 113u << 23, infinite = 0x7f800000u;
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  const uint32_t sign = (bits >> 16) & 0x8000u, size = bits & 0x7fffffffu;
  const uint32_t normal = (size + 0xfffu + ((size >> 13) & 1u) - (112u << 23)) >> 13;
  float magnitude;
  std::memcpy(&magnitude, &size, sizeof magnitude);
  const float rounded = magnitude + 0.5f;  // whose last place is the least number in half precision
  uint32_t subnormal;
  std::memcpy(&subnormal, &rounded, sizeof subnormal);
  subnormal -= 0x3f000000u;
  uint32_t found = size < least_normal ? subnormal : normal;
  found = found > 0x7c00u || size >= infinite ? 0x7c00u : found;
  found = size > infinite ? 0x7e00u : found;
  return static_cast<uint16_t>(sign | found);
}

}  // namespace dcsvm
