// The kernel matrix of a pair of classes, or of some of its rows.
//
// Each row has two parts, one for each class. Values within a class are those of class_rows.hpp
// where it keeps them; those between two small classes are computed at once; all others are cached.
// Where only some rows are chosen, all parts are cached, with columns for the chosen rows alone.
#pragma once

#include <memory>

#include "train/class_rows.hpp"
#include "train/row_cache.hpp"
#include "train/smo.hpp"
#include "train/spare_thread.hpp"

namespace dcsvm {

template <class Real>
class PairRows : public KernelRows<Real> {
 public:
  // The rows of classes i and j, standardised for their machine if `standardised`. The budget
  // for kernel values is in bytes.
  PairRows(ClassRows<Real>& classes, ThreadCount& threads, int64_t i, int64_t j, int64_t machine,
           bool standardised, int64_t budget);
  ~PairRows() override;

  KernelRow<Real> row(int64_t t, const LikelyRows& likely) override;
  void choose(const std::vector<int64_t>& rows) override;
  bool add_products(const std::vector<int64_t>& of, const std::vector<double>& coef,
                    const std::vector<int64_t>& with, double* sums,
                    const std::atomic<bool>& cancelled) const override;
  bool add_products_with_all(const std::vector<int64_t>& of, const std::vector<double>& coef,
                             double* sums, const std::atomic<bool>& cancelled) override;

  const PackedRows<Real>& rows(int side) const { return *rows_[side]; }

 private:
  // Rows of a pair, by class.
  struct Split {
    std::vector<int64_t> side[2];
  };
  Split split(const std::vector<int64_t>& rows) const;

  void compute_small_block();
  void choose_all();
  void make_cache(int side, int part);
  bool has_room_for_all() const;

  // The likely rows of a side of the chosen that are to be computed together with one of them.
  std::vector<int64_t> companions(int side, int64_t number, const LikelyRows& likely) const;
  bool is_worth_company(int side, int part, int64_t number) const;
  const Real* values_within(int side, int64_t own, const std::vector<int64_t>& companions);
  Real* cached(int side, int part, int64_t number, const std::vector<int64_t>& companions);

  // Computes one row of a part, or several that follow each other.
  void compute(int side, int part, const std::vector<int64_t>& own, Real* values);
  bool has_spare_thread();
  bool add_products(int side, const std::vector<int64_t>& of, const double* coef,
                    const PackedRows<Real>& with, double* sums,
                    const std::atomic<bool>& cancelled) const;

  const PackedRows<Real>& columns(int part) const {
    return all_ ? *rows_[part] : chosen_rows_[part];
  }

  ClassRows<Real>& classes_;
  ThreadCount& threads_;
  const int64_t class_[2], budget_;
  const PackedRows<Real>* rows_[2];
  bool values_kept_[2];  // those within each class
  PackedRows<Real> standardised_[2];
  Aligned<Real> block_[2];
  bool all_;
  Split chosen_;
  PackedRows<Real> chosen_rows_[2];  // panels and bias alone
  std::unique_ptr<RowCache<Real>> cache_[2][2];
  bool may_share_work_ = true;
  Aligned<Real> shared_work_;  // where the spare thread writes
  std::unique_ptr<SpareThread> spare_thread_;
};

}  // namespace dcsvm
