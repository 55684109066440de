// Arrays of floats that start on a cache line, as the panels must.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace dcsvm {

struct FreeAligned {
  void operator()(float* memory) const { std::free(memory); }
};
using AlignedFloats = std::unique_ptr<float[], FreeAligned>;

inline AlignedFloats aligned_floats(std::int64_t n) {
  constexpr std::int64_t cache_line = 64;
  const std::int64_t lines = n * std::int64_t{sizeof(float)} / cache_line + 1;
  void* memory = std::aligned_alloc(cache_line, lines * cache_line);
  if (memory == nullptr) throw std::bad_alloc();
  return AlignedFloats(static_cast<float*>(memory));
}

}  // namespace dcsvm
