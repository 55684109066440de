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
// A variable can rise if b_t < high_t and fall if b_t > low_t. The solution is optimal when
// max {f_t : can fall} <= min {f_t : can rise}; it is accepted when they overlap by at most tol.
// Until then a pair of variables is moved, i up and j down by the same amount:
//
//   i  has the smallest f of those that can rise,
//   j  can fall, has f_j > f_i, and promises the largest gain (f_j - f_i)² / (K_ii + K_jj - 2 K_ij)
//      (second-order selection: Fan, Chen and Lin, JMLR 6, 2005).
//
// The step (f_j - f_i) / (K_ii + K_jj - 2 K_ij) is the unconstrained optimum, cut at the box.
// Kernel values are single, the gradient is double precision.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "evaluation.hpp"

namespace dcsvm {

// One row of the kernel matrix in two stretches, each padded to whole panels.
struct KernelRow {
  const float* part[2];
};

// The kernel matrix of a problem, by rows. The two rows last asked for stay valid.
class KernelRows {
 public:
  virtual ~KernelRows() = default;
  virtual KernelRow row(std::int64_t t) = 0;
};

struct BinaryProblem {
  std::int64_t n_positive, n_negative;  // rows of y = 1 come first
  const double* C;                      // one per row, all above zero
  const float* diagonal;                // K_tt
  double tol;
  std::int64_t max_iter;
  double most_norm;  // of b: beyond it single-precision kernel values are not exact enough
};

enum class Outcome { converged, stopped_at_max_iter, cancelled, inexact };

struct BinarySolution {
  std::vector<double> dual;  // b_t = y_t α_t
  double intercept;
  double objective;
  std::int64_t n_iter;
  Outcome outcome;
};

BinarySolution solve(const BinaryProblem& problem, KernelRows& kernel,
                     const EvaluationTable& evaluation, const std::atomic<bool>& cancelled);

}  // namespace dcsvm
