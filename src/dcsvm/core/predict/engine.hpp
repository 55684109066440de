// The prediction engine: the values of machines, walks, elimination and votes, in the precision of
// Real.
//
//   value of machine m at x  =  intercept[m] + Σ_e coef[e] K(q, vector index[e]),
//                               e from start[m] to start[m + 1]
//
// where the query q = (x - centre) * scale is computed in double precision and stored as Real. The
// support vectors are held in one of three ways:
//
//   vectors  as the form wants them; machines that standardise on their own map them and q again
//   stored   as they are, sparse where a dense copy would be too large
//   column   not at all: K(q, vector s) = x[column[s]] is given
//
// Where |q|² is above norm_limit, values could overflow: such rows are refused by RowTooLong. What
// has been written by then means nothing, but node and n_evaluated are as they were.
//
// All arrays are borrowed. Everything here may be called by any number of threads at once. A
// machine's value at a row is rounded in the same way whichever rows it is computed with, and
// whether or not its panels were kept. There are no locks: a process that is forked from another at
// any moment can go on.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <vector>

#include "data/rows.hpp"
#include "predict/dag.hpp"
#include "predict/elimination.hpp"
#include "predict/trial.hpp"
#include "simd/aligned.hpp"
#include "simd/evaluation.hpp"

namespace dcsvm {

struct RowTooLong : std::exception {
  const char* what() const noexcept override { return "a row is too long for this precision"; }
};

template <class Real>
struct EngineParameters {
  FormParameters form;
  int64_t n_features;

  // Queries.
  const double* centre;  // n_features; with column neither is used
  const double* scale;   // n_features
  Real query_bias;       // exp_dot adds query_bias * |q|² for a query
  Real query_factor;     // what queries are multiplied with after own_scale; see row_kernel.hpp
  double norm_limit;

  // Support vectors: vectors and vector_bias, or stored, or column; the others are null.
  int64_t n_vectors;
  const Real* vectors;      // n_vectors x n_features; identity: a weight vector per machine
  const Real* vector_bias;  // n_vectors
  const Rows* stored;
  const int32_t* column;  // n_vectors

  // Machines; identity has no start, index and coef.
  int64_t n_machines;
  const int64_t* start;
  const int32_t* index;
  const Real* coef;
  const double* intercept;
  const Real* own_centre;  // n_machines x n_features, or null
  const Real* own_scale;   // n_machines x n_features, or null; not with exp_dot, nor with column

  int64_t panel_budget;  // bytes of panels to keep

  bool is_linear() const { return form.form == Form::identity; }
  int64_t query_width() const { return column == nullptr ? n_features : n_vectors; }
};

class Candidates;

template <class Real>
class Engine {
 public:
  Engine(const EngineParameters<Real>& parameters, const InstructionSet& set);
  ~Engine();
  Engine(const Engine&) = delete;

  // out[r] = whether |q|² of row r is above this limit.
  void mark_longer(const Rows& X, double norm_limit, bool* out) const;

  // out[t] = value of machine[t] at row row[t].
  void values(const Rows& X, const int64_t* row, const int32_t* machine, int64_t n,
              double* out) const;

  // Takes row[t] from node[t] as far as the structure is grown. node[t] becomes a leaf and slot[t]
  // -1, or node[t] is where the row stands and slot[t] the place in child that is not grown. The
  // number of machines evaluated at row[t] is added to n_evaluated[t], unless n_evaluated is null.
  void walk(const DagView& dag, const Rows& X, const int64_t* row, int64_t n, int32_t* node,
            int64_t* slot, int64_t* n_evaluated) const;

  // The same for a single row from the root, without preparing for more: the leaf, or -1 - slot.
  int64_t walk_one(const DagView& dag, const Rows& x) const;

  // out[m][r] = value of machine m at row begin + r, for all machines.
  void all_values(const Rows& X, int64_t begin, int64_t end, double* out) const;

  // What all machines make of the rows begin ... end - 1, part p of which are begin + edges[p] ...
  // begin + edges[p + 1] - 1.
  void observe(const Rows& X, int64_t begin, int64_t end, const double* weight,
               const int64_t* edges, int64_t n_parts, const Observed& seen,
               const KeptValues* kept) const;

  // The same for parts that are all rows of a class each, as the table has it. Signs as in
  // Observed, or null.
  void observe_classes(const Rows& X, int64_t begin, int64_t end, const double* weight,
                       const int64_t* edges, int64_t n_parts, const ClassEntries& entries,
                       uint8_t* signs, int64_t bytes_of_signs, const KeptValues* kept) const;

  // winner[r] = the class with most votes at row begin + r, of equals the first.
  void vote(const Rows& X, int64_t begin, int64_t end, int64_t n_classes, int64_t* winner) const;

  // scores[r][class] of rows begin + r, classes padded to panels.
  void score(const ShortlistView<Real>& shortlist, const Rows& X, int64_t begin, int64_t end,
             float* scores) const;

  // leaf[r] = the class that is left at row begin + r, see elimination.hpp. Candidates have a score
  // of at least the highest less gap. The scores are used up. n_evaluated as in walk.
  void eliminate(const LevelsView& levels, const Rows& X, int64_t begin, int64_t end, float gap,
                 float* scores, int64_t* leaf, int64_t* n_evaluated) const;

  // The machines that rows would need by these ranges (see trial.hpp), from n_classes scores a row:
  // those of row begin + r are machine[start[r]] ... machine[start[r + 1] - 1].
  void try_out(const RangesView& ranges, const Rows& X, int64_t begin, int64_t end, float gap,
               const float* scores, std::vector<int64_t>& start,
               std::vector<int32_t>& machine) const;

  const EngineParameters<Real>& parameters() const { return parameters_; }
  int64_t panel_bytes() const { return panel_bytes_; }

 private:
  struct Panels;
  struct Scratch;
  class Loader;
  class RowKernel;
  class RowValues;
  class KernelBlock;
  class AllValues;
  class ClassObserver;

  template <class Visit>
  void each_observed(const Rows& X, int64_t begin, int64_t end, const double* weight,
                     const int64_t* edges, int64_t n_parts, const KeptValues* kept,
                     Visit visit) const;

  void landmark_values(const ShortlistView<Real>& shortlist, const Queries<Real>& queries,
                       int64_t n, Real* values) const;
  bool has_vectors() const { return parameters_.vectors != nullptr; }
  const Real* padded_vectors() const;
  // Whether rows are evaluated one after the other, each kernel value once; else machine by machine
  // in panels.
  bool keeps_values() const;
  void values_by_row(const Rows& X, const int64_t* row, const int32_t* machine, int64_t n,
                     double* out) const;
  void eliminate_by_row(Candidates& candidates, const Queries<Real>& queries, int64_t n,
                        int64_t* leaf) const;
  void eliminate_together(Candidates& candidates, const Queries<Real>& queries, int64_t n,
                          int64_t* leaf) const;
  const PackedMachine<Real>& panels_of(int64_t machine, Scratch& scratch) const;
  Panels pack(int64_t machine) const;
  void group_values(int64_t machine, const Queries<Real>& queries, const int32_t* which, int64_t n,
                    Scratch& scratch, double* out) const;

  EngineParameters<Real> parameters_;
  const InstructionSet& set_;
  const EvaluationTable<Real>& evaluation_;
  // Panels are made when a machine is first evaluated, and never change.
  mutable std::vector<std::atomic<const Panels*>> kept_;
  mutable std::atomic<int64_t> panel_bytes_{0};
  // The vectors with features padded to panels, made when first needed.
  mutable std::atomic<Real*> padded_{nullptr};
};

}  // namespace dcsvm
