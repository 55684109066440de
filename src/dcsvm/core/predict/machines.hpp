// Decision values of pairwise machines that share one pool of support vectors.
//
//   value of machine m at x  =  intercept[m] + Σ_e coef[e] K(x, pool[index[e]]),
//                               e from start[m] to start[m + 1]
//
// With a standardisation, machine m sees (x - centre[m]) * inverse_scale[m] in place of every x,
// support vectors included.
//
// A value depends on its row and its machine alone: the terms are summed in the same order
// whichever function computes it and whatever other rows are asked for. All functions are const
// and keep no state, so that any number of threads may call them at once.
#pragma once

#include <cstdint>

#include "data/rows.hpp"
#include "predict/kernels.hpp"

namespace dcsvm {

struct Machines {
  KernelParameters kernel;
  Rows pool;
  std::int64_t n_machines;
  const std::int64_t* start;    // n_machines + 1
  const std::int32_t* index;    // into the pool
  const double* coef;           // as long as index
  const double* intercept;      // n_machines
  const double* centre;         // n_machines x n_features, or null
  const double* inverse_scale;  // n_machines x n_features, or null

  // out[t] = value of machine[t] at row row[t].
  void values(const Rows& X, const std::int64_t* row, const std::int32_t* machine, std::int64_t n,
              double* out) const;

  // out[r, m] = value of machine m at row begin + r. Each kernel value is computed once and shared
  // by all machines, unless every machine standardises in its own way.
  void all_values(const Rows& X, std::int64_t begin, std::int64_t end, double* out) const;

  // out[p] = number of distinct support vectors among machine[path_start[p] .. path_start[p + 1]].
  void distinct_support(const std::int64_t* path_start, const std::int32_t* machine,
                        std::int64_t n_paths, std::int64_t* out) const;
};

}  // namespace dcsvm
