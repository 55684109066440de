// Sequential minimal optimisation of one binary C-SVC problem.
//
// With y_t = ±1 and a signed dual variable b_t = y_t α_t, the dual problem is
//
//   minimise  D(b) = 1/2 Σ_st b_s b_t K_st - Σ_t y_t b_t
//   subject to  Σ_t b_t = 0  and  low_t <= b_t <= high_t,
//
// the box being [0, C_t] for y_t = 1 and [-C_t, 0] for y_t = -1. Its gradient is
//
//   f_t = Σ_s b_s K_st - y_t.
//
// A row with C_t = 0 takes no part: it is left out of the problem, but its gradient, and so its
// decision value, is known in the end as that of the others is.
//
// A variable can rise if b_t < high_t and fall if b_t > low_t. The solution is optimal when
// max {f_t : can fall} <= min {f_t : can rise}; it is accepted when they overlap by at most tol.
// Until then a pair of variables is moved, i up and j down by the same amount:
//
//   i  has the smallest f of those that can rise,
//   j  can fall, has f_j > f_i, and promises the largest gain (f_j - f_i)² / (K_ii + K_jj - 2 K_ij)
//      (second-order selection: Fan, Chen and Lin, JMLR 6, 2005).
//
// The step (f_j - f_i) / (K_ii + K_jj - 2 K_ij) is the unconstrained optimum, cut at the box.
// Kernel values are of type Real, float or double; the gradient is always double.
//
// Shrinking. A variable at a bound can move one way only. It violates the conditions with none of
// the others, and is not selected, while it
//
//   cannot fall and f_t > max {f_s : s can fall},  or  cannot rise and f_t < min {f_s : s can
//   rise}.
//
// The two extremes draw together, and most such variables stay where they are until the end. They
// are left out, as an iteration takes time in proportion to the variables that remain. The gradient
// of these stays exact, as those left out do not move; the gradient of those left out is brought up
// to date when the problem of the others is solved. With b' and f' of the time when a variable t
// was left out,
//
//   f_t = f'_t + Σ_s (b_s - b'_s) K_st,
//
// over those that have moved since. Then all take part again, until all are optimal to within tol.
// As in libsvm (Fan, Chen and Lin), that is done for the first time at 10 tol already, so that the
// last and longest part of the iterations does not leave out the wrong variables.
#pragma once

#include <atomic>
#include <vector>

#include "simd/evaluation.hpp"

namespace dcsvm {

// One row of a kernel matrix in two stretches, each padded to whole panels.
template <class Real>
struct KernelRow {
  const Real* part[2];
};

// Rows of the kernel matrix that will probably be asked for.
class LikelyRows {
 public:
  virtual ~LikelyRows() = default;

  // Some of those chosen rows whose y is 1, or of the others, the likeliest first.
  virtual std::vector<int64_t> likely(bool positive) const = 0;
};

// The kernel matrix of a problem, or of the rows chosen from it.
template <class Real>
class KernelRows {
 public:
  virtual ~KernelRows() = default;

  // The t-th of the chosen rows, with a column for each of them. The two last asked for stay valid.
  // Where it has to be computed, likely rows may be computed with it: several together take little
  // more time than one, as the rows they meet are read once.
  virtual KernelRow<Real> row(int64_t t, const LikelyRows& likely) = 0;

  // Chooses rows of the problem, in rising order. At first all are chosen.
  virtual void choose(const std::vector<int64_t>& rows) = 0;

  // sums[t] += Σ_s coef[s] K(of[s], with[t]) for any rows of the problem, in rising order. False
  // where cancelled half-way.
  virtual bool add_products(const std::vector<int64_t>& of, const std::vector<double>& coef,
                            const std::vector<int64_t>& with, double* sums,
                            const std::atomic<bool>& cancelled) const = 0;

  // The same for all rows, while all are chosen: from cached values where there is room for them.
  virtual bool add_products_with_all(const std::vector<int64_t>& of,
                                     const std::vector<double>& coef, double* sums,
                                     const std::atomic<bool>& cancelled) = 0;
};

template <class Real>
struct BinaryProblem {
  int64_t n_positive, n_negative;  // rows of y = 1 come first
  const double* C;                 // one per row; zero: the row is left out
  const Real* diagonal;            // K_tt
  double tol;
  int64_t max_iter;
  double work_of_value;  // multiplications for a kernel value
  double norm_limit;     // if |b| exceeds it, values of type Real are not exact enough
};

enum class Outcome { converged, stopped_at_max_iter, cancelled, inexact };

// The dual variable of every row of a problem, and the gradient.
struct DualState {
  std::vector<double> b, f;
};

// The state in which all variables are zero.
template <class Real>
DualState at_zero(const BinaryProblem<Real>& problem);

struct BinarySolution {
  double intercept;
  double value_range;  // from the lowest to the highest decision value at the rows not left out
  int64_t n_iter;
  Outcome outcome;
};

// Solves a problem from a state, and leaves the solution there.
template <class Real>
BinarySolution solve(const BinaryProblem<Real>& problem, KernelRows<Real>& kernel,
                     const EvaluationTable<Real>& evaluation, const std::atomic<bool>& cancelled,
                     DualState& state);

}  // namespace dcsvm
