// The prediction engine: machines evaluated in single precision, walks, and votes.
//
// A row x becomes the query q = (x - centre) * scale, computed in double precision and stored in
// single. Machines that standardise on their own map it once more. All arrays are borrowed.
//
// Everything here may be called by any number of threads at once. A machine's value at a row is
// rounded in the same way whichever rows are asked for together, and whether or not its panels were
// kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "data/rows.hpp"
#include "predict/elimination.hpp"
#include "simd/aligned.hpp"
#include "simd/evaluation.hpp"

namespace dcsvm {

struct EngineParameters {
  FormParameters form;
  std::int64_t n_features;

  // Queries.
  const double* centre;  // n_features
  const double* scale;   // n_features
  float query_bias;      // exp_dot adds query_bias * |q|² for a query
  float query_factor;    // what queries are multiplied with after own_scale

  // Support vectors, as the form wants them but for the machines' own standardisation.
  std::int64_t n_vectors;
  const float* vectors;      // n_vectors x n_features; identity: a weight vector per machine
  const float* vector_bias;  // n_vectors

  // Machines, as in machines.hpp; identity has no start, index and coef.
  std::int64_t n_machines;
  const std::int64_t* start;
  const std::int32_t* index;
  const float* coef;
  const double* intercept;
  const float* own_centre;  // n_machines x n_features, or null
  const float* own_scale;   // n_machines x n_features, or null; not with exp_dot

  std::int64_t panel_budget;  // bytes of panels to keep
};

// The decision structure, as in dag.py.
struct DagView {
  std::int64_t n_classes;
  const std::int32_t* machine;
  const std::int64_t* first_cut;
  const std::int64_t* first_child;
  const double* cuts;
  const std::int32_t* child;

  // Where in child a row at this node with this value goes on.
  std::int64_t slot(std::int32_t node, double value) const {
    std::int64_t interval = 0;
    for (std::int64_t c = first_cut[node]; c < first_cut[node + 1]; ++c)
      interval += value > cuts[c];
    return first_child[node] + interval;
  }
};

// Engine::walk by signs that are known already, laid out as Engine::observe leaves them.
void walk_by_signs(const DagView& dag, const std::uint8_t* signs, std::int64_t stride,
                   const std::int64_t* row, std::int64_t n, std::int32_t* node, std::int64_t* slot);

// How machines see some rows. All but the signs are n_parts x n_machines, and are added to.
struct Observed {
  double* to_i;  // weight of the rows sent to i
  double* to_j;
  float* low;  // of the values
  float* high;
  double* sum;
  double* squares;
  std::uint8_t* signs;  // bit r % 8 of signs[m][r / 8]: machine m sends row begin + r to i; or null
};

class Candidates;

class Engine {
 public:
  Engine(const EngineParameters& parameters, const InstructionSet& set);
  ~Engine();
  Engine(const Engine&) = delete;

  // out[t] = value of machine[t] at row row[t].
  void values(const Rows& X, const std::int64_t* row, const std::int32_t* machine, std::int64_t n,
              double* out) const;

  // Takes row[t] from node[t] as far as the structure is grown. node[t] becomes a leaf and slot[t]
  // -1, or node[t] is where the row stands and slot[t] the place in child that is not grown. The
  // machines that row[t] has asked are added to asked[t], unless asked is null.
  void walk(const DagView& dag, const Rows& X, const std::int64_t* row, std::int64_t n,
            std::int32_t* node, std::int64_t* slot, std::int64_t* asked) const;

  // The same for a single row from the root, without preparing for more: the leaf, or -1 - slot.
  std::int64_t walk_one(const DagView& dag, const Rows& x) const;

  // out[m][r] = value of machine m at row begin + r, for all machines.
  void all_values(const Rows& X, std::int64_t begin, std::int64_t end, float* out) const;

  // What all machines make of the rows begin ... end - 1, part p of which are begin + edges[p] ...
  // begin + edges[p + 1] - 1.
  void observe(const Rows& X, std::int64_t begin, std::int64_t end, const double* weight,
               const std::int64_t* edges, std::int64_t n_parts, const Observed& seen) const;

  // winner[r] = the class with most votes at row begin + r, of equals the first.
  void vote(const Rows& X, std::int64_t begin, std::int64_t end, std::int64_t n_classes,
            std::int64_t* winner) const;

  // scores[r][class] of rows begin + r, classes padded to panels.
  void score(const ScorerView& scorer, const Rows& X, std::int64_t begin, std::int64_t end,
             float* scores) const;

  // leaf[r] = the class that is left at row begin + r, see elimination.hpp. Candidates have a score
  // of at least the highest less gap. The scores are used up. asked as in walk.
  void eliminate(const LevelsView& levels, const Rows& X, std::int64_t begin, std::int64_t end,
                 float gap, float* scores, std::int64_t* leaf, std::int64_t* asked) const;

  const EngineParameters& parameters() const { return parameters_; }
  std::int64_t panel_bytes() const { return panel_bytes_; }

 private:
  struct Panels;
  struct Scratch;
  class Loader;
  class RowValues;

  const float* padded_vectors() const;
  // Whether the kernel values of a row are kept for the next machine it asks.
  bool keeps_values() const;
  void values_by_row(const Rows& X, const std::int64_t* row, const std::int32_t* machine,
                     std::int64_t n, double* out) const;
  void eliminate_by_row(Candidates& candidates, const Queries<float>& queries, std::int64_t n,
                        std::int64_t* leaf) const;
  void eliminate_together(Candidates& candidates, const Queries<float>& queries, std::int64_t n,
                          std::int64_t* leaf) const;
  const PackedMachine<float>& panels_of(std::int64_t machine, Scratch& scratch) const;
  Panels pack(std::int64_t machine) const;
  void group_values(std::int64_t machine, const Queries<float>& queries, const std::int32_t* which,
                    std::int64_t n, Scratch& scratch, double* out) const;
  template <class Consume>
  void values_by_panel(const Rows& X, std::int64_t begin, std::int64_t end, Consume consume) const;
  template <class Consume>
  void values_by_machine(const Rows& X, std::int64_t begin, std::int64_t end,
                         Consume consume) const;
  template <class Consume>
  void each_block_of_values(const Rows& X, std::int64_t begin, std::int64_t end,
                            Consume consume) const;

  EngineParameters parameters_;
  const InstructionSet& set_;
  const EvaluationTable<float>& evaluation_;
  std::vector<std::int32_t> vote_order_;
  // Panels are made when a machine is first asked, and never change.
  mutable std::vector<std::atomic<const Panels*>> kept_;
  mutable std::mutex keeping_;
  mutable std::atomic<std::int64_t> panel_bytes_{0};
  // The vectors with features padded to panels, made when first needed.
  mutable std::once_flag padding_;
  mutable Aligned<float> padded_;
};

}  // namespace dcsvm
