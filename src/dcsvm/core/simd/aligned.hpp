// Arrays of numbers that start on a cache line, as the panels must.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "data/integers.hpp"

namespace dcsvm {

constexpr std::align_val_t cache_line{64};

struct FreeAligned {
  void operator()(void* memory) const { ::operator delete(memory, cache_line); }
};
template <class Real>
using Aligned = std::unique_ptr<Real[], FreeAligned>;

// Throws std::bad_alloc where there is no memory.
template <class Real>
Aligned<Real> aligned(int64_t n) {
  const auto bytes = static_cast<std::size_t>(n) * sizeof(Real);
  return Aligned<Real>(static_cast<Real*>(::operator new(bytes, cache_line)));
}

template <class Real>
Aligned<Real> zeros(int64_t n) {
  Aligned<Real> numbers = aligned<Real>(n);
  std::memset(numbers.get(), 0, n * sizeof(Real));
  return numbers;
}

}  // namespace dcsvm
