// Ridge regression on class indicators, with the scores of rows when they are left out.
//
// Notation as in routing/elimination/ridge.py: centred rows z_r of weight share_r, A = Σ_r share_r
// z_r z_rᵀ, and 2 for the class of a row, 0 for the others, as what is regressed on, so that the
// scores are F = Z W + ȳ with W = (A + λ)⁻¹ R and R = 2 Σ_r share_r z_r e_class(r)ᵀ. With
//
//   A + λ = Uᵀ U,   M = U⁻ᵀ,   T = M R,
//
// the scores of a row are (M z)ᵀ T + ȳ and its leverage is |M z|². U and M are found together, row
// by row: row i of (U M) is that of (A + λ, 1) less Σ_{r<i} U_ri times row r, divided by U_ii.
//
// All of it is in double precision and free of threads. Parts of the work may be done side by side;
// how the rows are cut does not depend on who does them.
#pragma once

#include <vector>

#include "data/integers.hpp"
#include "simd/aligned.hpp"
#include "simd/evaluation.hpp"

namespace dcsvm {

struct RidgeProblem {
  int64_t n_rows, n_features, n_classes;
  const double* Z;  // n_rows x n_features
  const int64_t* codes;
  const double* weight;
};

class Ridge {
 public:
  static constexpr int64_t n_parts = 8;

  Ridge(const RidgeProblem& problem, const EvaluationTable<double>& evaluation);

  // Adds up A over one of n_parts parts of the rows, then over all.
  void add_products(int64_t part);
  void finish_products();

  // Solves for λ = penalty times the mean eigenvalue of A.
  void solve(double penalty);

  // left_out[t] = the scores of row rows[t] without it. The weight of the rows whose class scores
  // highest is returned.
  double leave_out(const int64_t* rows, int64_t n, double* left_out) const;

  // The solution: n_classes x n_features weights, and an intercept for each class.
  void write(double* weights, double* intercept) const;

 private:
  void scaled_transpose(int64_t begin, int64_t end, double* panels, double* columns) const;
  double* row_of(int64_t i) { return factors_.get() + i * 2 * width_; }
  const double* inverse_row(int64_t i) const { return factors_.get() + i * 2 * width_ + width_; }

  RidgeProblem p_;
  const EvaluationTable<double>& evaluation_;
  int64_t width_, class_width_;            // features and classes, padded to panels
  std::vector<double> share_;              // of each row in the weight of all
  std::vector<double> mean_, base_;        // of the rows; ȳ
  std::vector<Aligned<double>> products_;  // of every part, width_ x width_: the lower half of A
  Aligned<double> target_;                 // R
  Aligned<double> factors_;                // U and M side by side
  Aligned<double> inverse_;                // M, 16 rows at a time, each up to the diagonal
  Aligned<double> solved_;                 // T
  Aligned<double> by_class_;               // its transpose
};

}  // namespace dcsvm
