// The training rows of every class, and the kernel values within classes.
//
// The rows of a class are packed when a pair first needs them. Kernel values within a class serve
// every machine of that class and are kept as long as memory allows. A row of them is computed when
// first asked for; in small classes, where most rows will be, all are computed at once.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "train/packed_rows.hpp"

namespace dcsvm {

// Classes of so many rows count as small.
constexpr int64_t small_class = 256;

template <class Real>
class ClassRows {
 public:
  // Class c is rows class_start[c] to class_start[c + 1] of X. The budget for kernel values is in
  // bytes.
  ClassRows(const FormParameters& form, const RowMap& map, const Rows& X,
            const int64_t* class_start, int64_t n_classes, int64_t budget,
            const EvaluationTable<Real>& evaluation);

  const PackedRows<Real>& rows(int64_t c) { return ready_class(c).rows; }

  // Whether kernel values within a class are kept, and if so, those of one row.
  bool keeps_values(int64_t c) { return ready_class(c).values != nullptr; }
  bool knows(int64_t c, int64_t row) const { return classes_[c].is_computed[row]; }
  // Those of the others are computed with it.
  const Real* values_within(int64_t c, int64_t row, const std::vector<int64_t>& others = {});

  // Kernel values of n row-major rows with n_panels panels of others, from first_panel on.
  void kernel_values(const Real* rows, const Real* bias, int64_t n, const PackedRows<Real>& with,
                     int64_t first_panel, int64_t n_panels, Real* values) const;

  // The same of any rows of a class.
  void kernel_values(const PackedRows<Real>& of, const std::vector<int64_t>& rows,
                     const PackedRows<Real>& with, int64_t first_panel, int64_t n_panels,
                     Real* values) const;

  const RowPacker<Real>& packer() const { return packer_; }
  const EvaluationTable<Real>& evaluation() const { return evaluation_; }
  int64_t n_features() const { return n_features_; }

 private:
  struct Class {
    std::once_flag made_ready;
    PackedRows<Real> rows;
    Aligned<Real> values;  // null where memory does not allow
    std::vector<std::atomic<bool>> is_computed;
    std::mutex computing;
  };
  Class& ready_class(int64_t c);
  // Both while `computing` is held.
  void compute_all(Class& own);
  void compute_some(Class& own, int64_t row, const std::vector<int64_t>& others);

  FormParameters form_;
  Rows X_;
  const int64_t* class_start_;
  int64_t n_features_;
  RowPacker<Real> packer_;
  const EvaluationTable<Real>& evaluation_;
  std::vector<Class> classes_;
  std::atomic<int64_t> budget_left_;
};

}  // namespace dcsvm
