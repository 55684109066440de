// The decision structure, as in routing/dag/structure.py.
#pragma once

#include <stdexcept>

#include "data/integers.hpp"

namespace dcsvm {

struct DagView {
  int64_t n_classes;
  const int32_t* machine;
  const int64_t* first_cut;
  const int64_t* first_child;
  const double* cuts;
  const int32_t* child;

  // Where in child a row at this node with this value goes on.
  int64_t slot(int32_t node, double value) const {
    int64_t interval = 0;
    for (int64_t c = first_cut[node]; c < first_cut[node + 1]; ++c) interval += value > cuts[c];
    return first_child[node] + interval;
  }
};

// No path is longer than there are classes to drop: one that is goes in a circle.
inline void require_end(const DagView& dag, int64_t n_decisions) {
  if (n_decisions >= dag.n_classes) throw std::invalid_argument("the structure has a cycle");
}

// Engine::walk by signs that are known already, laid out as Engine::observe leaves them.
inline void walk_by_signs(const DagView& dag, const uint8_t* signs, int64_t stride,
                          const int64_t* row, int64_t n, int32_t* node, int64_t* slot) {
  for (int64_t t = 0; t < n; ++t) {
    slot[t] = -1;
    for (int64_t n_decisions = 0; node[t] >= dag.n_classes;) {
      require_end(dag, ++n_decisions);
      const uint8_t byte = signs[dag.machine[node[t]] * stride + row[t] / 8];
      const int64_t place = dag.slot(node[t], byte >> (row[t] % 8) & 1 ? 1.0 : -1.0);
      if (dag.child[place] < 0) {
        slot[t] = place;
        break;
      }
      node[t] = dag.child[place];
    }
  }
}

}  // namespace dcsvm
