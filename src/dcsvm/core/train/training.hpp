// Kernel values between training rows, and the training of pairs of classes.
//
// The rows of each class are packed in panels once, in single precision. Kernel values within a
// class serve every machine of that class and are kept as long as memory allows; those between two
// classes serve one machine and are kept while it is trained. Rows are computed when first asked
// for; of small classes, where most of them will be, all at once.
//
// When no pair is left to begin with, threads become free. A pair that is still in hand and has
// long rows takes one in: half of each row is then computed there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "data/rows.hpp"
#include "simd/aligned.hpp"
#include "train/smo.hpp"

namespace dcsvm {

// Classes of so many rows count as small.
constexpr std::int64_t small_class = 256;

struct TrainingParameters {
  FormParameters form;
  // A row x is stored as s = (x - centre) * scale and asks as query_factor * s; exp_dot adds
  // bias_factor * |s|² for both.
  const double* centre;
  const double* scale;
  float query_factor;
  float bias_factor;
  // With a standardisation for every pair, a pair maps s to (s - own_centre) * own_scale.
  const float* own_centre;  // n_pairs x n_features, or null
  const float* own_scale;   // n_pairs x n_features, or null
  std::int64_t n_classes;
  const std::int64_t* class_start;  // n_classes + 1
  const double* C;                  // one per row
  double tol;
  std::int64_t max_iter;
  double most_norm;            // as in smo.hpp
  std::int64_t shared_budget;  // bytes for kernel values within classes
  std::int64_t pair_budget;    // bytes for those of the pair in hand
  std::int64_t n_threads;      // that train at the same time
};

// What training a pair gives: the rows that support it and their coefficients.
struct TrainedPair {
  std::vector<std::int64_t> support;
  std::vector<double> coef;
  double intercept;
  double objective;
  std::int64_t n_iter;
  Outcome outcome;
};

class Trainer {
 public:
  Trainer(const TrainingParameters& parameters, const Rows& X,
          const EvaluationTable<float>& evaluation);

  // Trains classes i < j, of which machine is the number.
  TrainedPair train(std::int64_t i, std::int64_t j, std::int64_t machine,
                    const std::atomic<bool>& cancelled);

  std::int64_t n_features() const { return n_features_; }
  const TrainingParameters& parameters() const { return parameters_; }

 private:
  // Rows one after the other, as they ask, and in panels, as they are asked about.
  struct PackedRows {
    Aligned<float> queries, panels, bias, diagonal;
    std::int64_t n_rows, n_panels;

    std::int64_t width() const { return n_panels * panel_width; }
  };
  // Kernel values among the rows of one class.
  struct SharedBlock {
    Aligned<float> values;
    std::vector<std::atomic<bool>> ready;
    std::mutex computing;
  };
  class PairRows;
  class BusyThread;

  PackedRows pack(const Rows& X, std::int64_t begin, std::int64_t end) const;
  PackedRows mapped(const PackedRows& rows, std::int64_t machine) const;
  PackedRows chosen(const PackedRows& rows, const std::vector<std::int64_t>& which) const;
  PackedRows room_for(std::int64_t n_rows) const;
  void finish(PackedRows& rows) const;
  float* lane_of(const PackedRows& rows, std::int64_t t) const;
  void kernel_rows(const PackedRows& of, std::int64_t first, std::int64_t n,
                   const PackedRows& against, float* out) const;
  const float* shared_row(std::int64_t c, std::int64_t row);
  bool take_free_thread();
  void give_thread_back() { --n_busy_; }

  TrainingParameters parameters_;
  std::int64_t n_features_;
  const EvaluationTable<float>& evaluation_;
  std::vector<PackedRows> classes_;
  std::vector<std::unique_ptr<SharedBlock>> shared_;  // null where memory does not allow
  std::atomic<std::int64_t> n_begun_{0}, n_busy_{0};  // pairs; threads
};

}  // namespace dcsvm
