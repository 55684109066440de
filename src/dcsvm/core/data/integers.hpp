// Whole numbers of a known width, for all of the core.
#pragma once

#include <cstdint>

namespace dcsvm {

using std::int32_t;
using std::int64_t;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

}  // namespace dcsvm
