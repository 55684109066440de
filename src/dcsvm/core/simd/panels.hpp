// Vectors, classes and rows are interleaved in panels of this many: panel[feature][vector].
#pragma once

#include <cstdint>

namespace dcsvm {

constexpr std::int64_t panel_width = 16;

constexpr std::int64_t panels_for(std::int64_t n) { return (n + panel_width - 1) / panel_width; }

}  // namespace dcsvm
