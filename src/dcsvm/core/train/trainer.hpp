// The training of pairs of classes, with kernel values of type Real, float or double.
//
// Variants of a pair have the same rows and the same kernel, and differ in C alone: a parameter
// that is searched for, or rows that are left out (C = 0) to be judged by the others. They are
// solved one after the other with the same cached kernel values, each from an earlier solution.
//
// Pairs are trained side by side, by as many threads as call train. When no pair is left to begin
// with, threads become free. A pair that is still being trained and has long rows takes one of
// them: half of each row is then computed there.
#pragma once

#include <atomic>
#include <vector>

#include "train/class_rows.hpp"
#include "train/smo.hpp"
#include "train/spare_thread.hpp"

namespace dcsvm {

struct Variants {
  int64_t n, n_rows;
  const double* C;       // n x n_rows; zero: the variant leaves the row out
  const int64_t* start;  // the earlier variant from whose solution each starts, or -1
  // Where to write the decision values of a row, one for each other class: values[place][class].
  const int64_t* place;  // n x n_rows, -1: not wanted; or null
  double* values;
};

struct TrainingParameters {
  FormParameters form;
  RowMap map;
  int64_t n_classes;
  const int64_t* class_start;  // n_classes + 1
  Variants variants;
  double tol;
  int64_t max_iter;
  double norm_limit;      // as in smo.hpp
  int64_t shared_budget;  // bytes for kernel values within classes
  int64_t pair_budget;    // bytes for those of a pair that is being trained
  int64_t n_pairs;        // that will be trained
  int64_t n_threads;      // that train at the same time
};

// Trained variants of pairs, one after the other: the rows that support them and their
// coefficients.
struct TrainedPairs {
  std::vector<int64_t> n_support, support;
  std::vector<double> coef, intercept;
  std::vector<int64_t> n_iter;
  std::vector<int8_t> outcome;      // an Outcome
  std::vector<double> value_range;  // as in smo.hpp
};

template <class Real>
class Trainer {
 public:
  // X is borrowed.
  Trainer(const TrainingParameters& parameters, const Rows& X,
          const EvaluationTable<Real>& evaluation);

  // Trains all variants of classes i < j, of which machine is the number, and adds them to
  // `trained`; those after one that is cancelled or inexact are not trained, but take its outcome.
  void train(int64_t i, int64_t j, int64_t machine, const std::atomic<bool>& cancelled,
             TrainedPairs& trained);

 private:
  TrainingParameters parameters_;
  ClassRows<Real> classes_;
  ThreadCount threads_;
};

}  // namespace dcsvm
