// The choice of a node's machine, as in routing/dag/criteria.py, over sets of classes as bits.
#pragma once

#include "data/integers.hpp"

namespace dcsvm {

// What each machine does with each class at a threshold; machines in the order of class pairs.
struct SidesView {
  int64_t n_classes;
  int64_t n_words;       // 64 classes each
  const uint64_t* to_i;  // n_machines x n_words: classes that may go to i
  const uint64_t* to_j;  // n_machines x n_words
  const double* score;   // n_machines
  const double* cost;    // n_machines, positive
};

enum class Criterion { purity, score, cost };

}  // namespace dcsvm
