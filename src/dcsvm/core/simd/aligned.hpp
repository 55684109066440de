// Arrays of numbers that start on a cache line, as the panels must.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "data/integers.hpp"

namespace dcsvm {

struct FreeAligned {
  void operator()(void* memory) const { std::free(memory); }
};
template <class Real>
using Aligned = std::unique_ptr<Real[], FreeAligned>;

template <class Real>
Aligned<Real> aligned(int64_t n) {
  constexpr int64_t cache_line = 64;
  const int64_t lines = n * int64_t{sizeof(Real)} / cache_line + 1;
  void* memory = std::aligned_alloc(cache_line, lines * cache_line);
  if (memory == nullptr) throw std::bad_alloc();
  return Aligned<Real>(static_cast<Real*>(memory));
}

template <class Real>
Aligned<Real> zeros(int64_t n) {
  Aligned<Real> numbers = aligned<Real>(n);
  std::memset(numbers.get(), 0, n * sizeof(Real));
  return numbers;
}

}  // namespace dcsvm
