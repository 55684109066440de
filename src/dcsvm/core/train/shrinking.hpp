// Variables that are left out of a binary problem for a while, see smo.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "train/variables.hpp"

namespace dcsvm {

class LeftOut {
 public:
  bool empty() const { return leaves_.empty(); }

  // Finds the rows that may violate the conditions of an optimum together with others. If they are
  // no more than `most`, the others are from now on left out; else nothing changes.
  bool leave(const Variables& variables, const Extremes& e, std::int64_t most,
             std::vector<std::int64_t>& stay);

  // Brings the gradient of those left out up to date with the variables in `standing`, and
  // remembers none of them any more. False where cancelled half-way.
  bool bring_back(KernelRows& kernel, Standing& standing, const std::atomic<bool>& cancelled);

 private:
  struct Leave {
    std::vector<std::int64_t> gone, stay;
    std::vector<double> b;  // of those that stay
  };
  std::vector<Leave> leaves_;
};

}  // namespace dcsvm
