// How many kernel evaluations paths through machines take when each kernel value is computed once.
#pragma once

#include <cstdint>
#include <vector>

namespace dcsvm {

// out[p] = number of distinct support vectors among machine[path_start[p] .. path_start[p + 1]],
// those of machine m being index[start[m] .. start[m + 1]] of n_vectors.
inline void distinct_support(const std::int64_t* start, const std::int32_t* index,
                             std::int64_t n_vectors, const std::int64_t* path_start,
                             const std::int32_t* machine, std::int64_t n_paths, std::int64_t* out) {
  std::vector<std::int64_t> last_seen(n_vectors, -1);
  for (std::int64_t path = 0; path < n_paths; ++path) {
    std::int64_t distinct = 0;
    for (std::int64_t t = path_start[path]; t < path_start[path + 1]; ++t)
      for (std::int64_t e = start[machine[t]]; e < start[machine[t] + 1]; ++e) {
        std::int64_t& seen = last_seen[index[e]];
        distinct += seen != path;
        seen = path;
      }
    out[path] = distinct;
  }
}

}  // namespace dcsvm
