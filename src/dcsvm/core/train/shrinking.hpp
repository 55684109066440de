// Variables that are left out of a binary problem for a while, see smo.hpp.
#pragma once

#include <atomic>
#include <vector>

#include "train/variables.hpp"

namespace dcsvm {

template <class Real>
class LeftOut {
 public:
  bool empty() const { return leaves_.empty(); }

  // Finds the rows that may violate the conditions of an optimum together with others. If there are
  // at most `most` of them, the others are left out from now on; else nothing changes.
  bool leave(const Variables<Real>& variables, const Extremes& e, int64_t most,
             std::vector<int64_t>& stay);

  // Brings the gradient of those left out up to date with the variables in `state`; none is left
  // out any more. False where cancelled half-way.
  bool bring_back(KernelRows<Real>& kernel, DualState& state, const std::atomic<bool>& cancelled);

 private:
  struct Leave {
    std::vector<int64_t> gone, stay;
    std::vector<double> b;  // of those that stay
  };
  std::vector<Leave> leaves_;
};

}  // namespace dcsvm
