// Vectors, classes and rows are interleaved in panels of this many: panel[feature][vector].
#pragma once

#include "data/integers.hpp"

namespace dcsvm {

constexpr int64_t panel_width = 16;

constexpr int64_t panels_for(int64_t n) { return (n + panel_width - 1) / panel_width; }
constexpr int64_t padded(int64_t n) { return panels_for(n) * panel_width; }

}  // namespace dcsvm
