// What decides about values, as Python holds it.
#pragma once

#include "bind/binding_tools.hpp"
#include "predict/dag.hpp"
#include "predict/elimination.hpp"

namespace dcsvm {

struct BoundDag {
  DagView view;
  int64_t n_nodes;
  int32_t highest_machine;
  Owner owner;
};

struct BoundLevels {
  LevelsView view;
  int64_t n_machines;
  Owner owner;
};

}  // namespace dcsvm
