// One fault of each kind that the sanitizers must find, behind plain C functions.
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

extern "C" {

// There is a fault for some arguments only, so that no compiler sees it.
int32_t read_beyond(int32_t n) {
  const std::vector<int32_t> numbers(9, 1);
  return numbers.data()[n];
}

int32_t overflow(int32_t one) { return std::numeric_limits<int32_t>::max() + one; }

int64_t race(int64_t n) {
  int64_t count = 0;
  const auto add = [&] {
    for (int64_t i = 0; i < n; ++i) *const_cast<volatile int64_t*>(&count) = count + 1;
  };
  std::thread other(add);
  add();
  other.join();
  return count;
}
}
