// How many kernel evaluations paths through machines take when each kernel value is computed once.
#pragma once

#include <vector>

#include "data/integers.hpp"

namespace dcsvm {

// out[p] = number of distinct support vectors among machine[path_start[p] .. path_start[p + 1]],
// those of machine m being index[start[m] .. start[m + 1]] of n_vectors.
inline void distinct_support(const int64_t* start, const int32_t* index, int64_t n_vectors,
                             const int64_t* path_start, const int32_t* machine, int64_t n_paths,
                             int64_t* out) {
  std::vector<int64_t> last_seen(n_vectors, -1);
  for (int64_t path = 0; path < n_paths; ++path) {
    int64_t distinct = 0;
    for (int64_t t = path_start[path]; t < path_start[path + 1]; ++t)
      for (int64_t e = start[machine[t]]; e < start[machine[t] + 1]; ++e) {
        int64_t& seen = last_seen[index[e]];
        distinct += seen != path;
        seen = path;
      }
    out[path] = distinct;
  }
}

}  // namespace dcsvm
