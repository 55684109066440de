// What the table says of classes, and what follows from it. A statistic of class c on machine m
// stands at [c][m]; half precision is that of data/half.hpp.
#pragma once

#include <variant>

#include "data/integers.hpp"

namespace dcsvm {

// What some machines have seen of all rows of one class, as in Observed (simd/evaluation.hpp).
struct SeenValues {
  const float* low;
  const float* high;
  const double* sum;
  const double* squares;
};

// The same as the table has it: the range of the values and their standard deviation.
struct ValueRanges {
  uint16_t* low;
  uint16_t* high;
  uint16_t* spread;
};

// The table's entries of some classes: the weight sent to i and to j, whole where it fits, at
// counts[c][m], and the ranges.
using Counts = std::variant<uint8_t*, uint16_t*, uint32_t*, double*>;

struct ClassEntries {
  Counts counts;
  ValueRanges ranges;
};

// The ranges of values that are plausible, see routing/plausibility.py, and the levels
// (predict/elimination.hpp) to be made of them.
struct MarginLevels {
  int64_t n_classes, n_machines;
  const uint16_t* low;  // n_classes x n_machines, as are these two
  const uint16_t* high;
  const uint16_t* spread;
  const float* pooled;    // n_machines: the mean variance of all classes
  const float* freedom;   // n_classes, as is the next
  const float* widening;  // in deviations
  float pooled_rows;
  double* origin;  // n_machines
  double* scale;   // n_machines
  int64_t width;   // of a machine's levels
  uint8_t* lowest;
  uint8_t* highest;
};

}  // namespace dcsvm
