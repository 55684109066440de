// The kernel matrix of a pair of classes, or of some of its rows.
//
// Each row has two parts, one for each class. Values within a class are the trainer's where it
// keeps them; those between two small classes are computed at once; all others are cached. Where
// only some rows are chosen, all parts are cached, with columns for the chosen rows alone.
#pragma once

#include "train/helper.hpp"
#include "train/row_cache.hpp"
#include "train/training.hpp"

namespace dcsvm {

class Trainer::PairRows : public KernelRows {
 public:
  PairRows(Trainer& trainer, std::int64_t i, std::int64_t j, std::int64_t machine);
  ~PairRows() override;

  KernelRow row(std::int64_t t) override;
  void choose(const std::vector<std::int64_t>& rows) override;
  bool add_products(const std::vector<std::int64_t>& of, const std::vector<double>& coef,
                    const std::vector<std::int64_t>& with, double* sums,
                    const std::atomic<bool>& cancelled) const override;

  const PackedRows& rows(int side) const { return *rows_[side]; }

 private:
  // Rows of a pair, by class.
  struct Split {
    std::vector<std::int64_t> side[2];
  };
  Split split(const std::vector<std::int64_t>& rows) const;

  void compute_small_block();
  void choose_all();
  void make_cache(int side, int part);

  // Parts of a row to be computed, and where to. Their panels are counted through.
  struct Missing {
    int side;
    std::int64_t own;
    float* part[2];
    std::int64_t n_panels[2];  // none where a part is known
  };
  void compute(const Missing& row);
  void compute_panels(const Missing& row, std::int64_t begin, std::int64_t end) const;
  bool has_helper();
  bool add_products(int side, const std::vector<std::int64_t>& of, const double* coef,
                    const PackedRows& with, double* sums, const std::atomic<bool>& cancelled) const;

  const PackedRows& columns(int part) const { return all_ ? *rows_[part] : chosen_rows_[part]; }

  Trainer& trainer_;
  const std::int64_t class_[2];
  const PackedRows* rows_[2];
  PackedRows mapped_[2];
  Aligned<float> block_[2];
  bool all_;
  Split chosen_;
  PackedRows chosen_rows_[2];  // panels and bias alone
  std::unique_ptr<RowCache> cache_[2][2];
  bool may_be_helped_ = true;
  Aligned<float> helped_;  // where the helper writes
  std::unique_ptr<Helper> helper_;
};

}  // namespace dcsvm
