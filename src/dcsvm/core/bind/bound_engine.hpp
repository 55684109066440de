// The engine as Python holds it.
#pragma once

#include <memory>

#include "bind/binding_tools.hpp"
#include "predict/engine.hpp"

namespace dcsvm {

struct BoundEngine {
  std::unique_ptr<Engine> engine;
  Owner owner;
};

inline void require_range(const BoundEngine& e, const BoundRows& X, int64_t begin, int64_t end) {
  require_rows_of_width(X, e.engine->parameters().n_features);
  require(0 <= begin && begin <= end && end <= n_rows(X.rows), "rows are not in X");
}

void bind_elimination(nb::module_& module);

}  // namespace dcsvm
