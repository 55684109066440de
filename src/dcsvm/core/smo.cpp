#include "smo.hpp"

#include <algorithm>
#include <limits>

namespace dcsvm {
namespace {

using std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
// How often a solver looks whether it should go on.
constexpr int64_t iterations_per_look = 256;

int64_t padded(int64_t n) { return (n + panel_width - 1) / panel_width * panel_width; }

// The state of a problem: rows of y = 1 in the first stretch, the others in the second.
class Solver {
 public:
  Solver(const BinaryProblem& problem, KernelRows& kernel, const EvaluationTable& evaluation)
      : problem_(problem),
        kernel_(kernel),
        evaluation_(evaluation),
        length_{padded(problem.n_positive), padded(problem.n_negative)},
        size_(length_[0] + length_[1]),
        b_(size_),
        low_(size_),
        high_(size_),
        f_(size_),
        diagonal_(size_),
        falling_f_(size_),
        cannot_rise_(size_, infinity),
        cannot_fall_(size_, infinity) {
    for (int64_t t = 0; t < problem.n_positive + problem.n_negative; ++t) {
      const bool positive = t < problem.n_positive;
      const int64_t at = place(t);
      (positive ? high_ : low_)[at] = positive ? problem.C[t] : -problem.C[t];
      f_[at] = positive ? -1 : 1;
      diagonal_[at] = problem.diagonal[t];
      mark(at);
    }
  }

  BinarySolution run(const std::atomic<bool>& cancelled) {
    const KernelRow none{{nullptr, nullptr}};
    Extremes e = update(none, 0, none, 0);
    int64_t n_iter = 0;
    Outcome outcome = Outcome::converged;
    while (e.highest_falling - e.lowest_rising > problem_.tol) {
      if (n_iter == problem_.max_iter) {
        outcome = Outcome::stopped_at_max_iter;
        break;
      }
      if (n_iter % iterations_per_look == 0) {
        if (cancelled.load(std::memory_order_relaxed)) {
          outcome = Outcome::cancelled;
          break;
        }
        if (squared_norm() > problem_.most_norm * problem_.most_norm) {
          outcome = Outcome::inexact;
          break;
        }
      }
      const int64_t i = e.riser;
      const KernelRow row_i = kernel_.row(row_at(i));
      const int64_t j = partner(e, row_i);
      const double step = step_of(i, j, row_i);
      const KernelRow row_j = kernel_.row(row_at(j));
      rise(i, step);
      fall(j, step);
      e = update(row_i, step, row_j, -step);
      ++n_iter;
    }
    return solution(e, n_iter, outcome);
  }

 private:
  int64_t place(int64_t row) const {
    return row < problem_.n_positive ? row : row - problem_.n_positive + length_[0];
  }
  int64_t row_at(int64_t place) const {
    return place < length_[0] ? place : place - length_[0] + problem_.n_positive;
  }

  double squared_norm() const {
    double sum = 0;
    for (const double b : b_) sum += b * b;
    return sum;
  }

  void mark(int64_t t) {
    cannot_rise_[t] = b_[t] < high_[t] ? 0 : infinity;
    cannot_fall_[t] = b_[t] > low_[t] ? 0 : infinity;
  }

  // A bound that the step was cut at is met exactly, whatever the rounding.
  void rise(int64_t t, double step) {
    b_[t] = step == high_[t] - b_[t] ? high_[t] : b_[t] + step;
    mark(t);
  }
  void fall(int64_t t, double step) {
    b_[t] = step == b_[t] - low_[t] ? low_[t] : b_[t] - step;
    mark(t);
  }

  double step_of(int64_t i, int64_t j, const KernelRow& row_i) const {
    const float k_ij = j < length_[0] ? row_i.part[0][j] : row_i.part[1][j - length_[0]];
    const double curvature =
        std::max<double>(static_cast<double>(diagonal_[i]) + diagonal_[j] - 2.0 * k_ij, 1e-12);
    return std::min({(f_[j] - f_[i]) / curvature, high_[i] - b_[i], b_[j] - low_[j]});
  }

  Extremes update(const KernelRow& row_i, double step_i, const KernelRow& row_j, double step_j) {
    return evaluation_.update_gradient(f_.data(), cannot_rise_.data(), cannot_fall_.data(), length_,
                                       row_i.part, step_i, row_j.part, step_j, falling_f_.data());
  }

  // The variable to fall while the riser rises. Selection is in single precision; where that sees
  // no gain, or one that double precision does not confirm, the variable that violates most is
  // taken.
  int64_t partner(const Extremes& e, const KernelRow& row_i) const {
    const int64_t found =
        evaluation_.largest_gain(falling_f_.data(), diagonal_.data(), length_, row_i.part,
                                 static_cast<float>(e.lowest_rising), diagonal_[e.riser]);
    return found >= 0 && f_[found] > e.lowest_rising ? found : e.faller;
  }

  BinarySolution solution(const Extremes& e, int64_t n_iter, Outcome outcome) const {
    BinarySolution found;
    found.dual.resize(problem_.n_positive + problem_.n_negative);
    double free_sum = 0, objective = 0;
    int64_t n_free = 0;
    for (int64_t t = 0; t < static_cast<int64_t>(found.dual.size()); ++t) {
      const int64_t at = place(t);
      found.dual[t] = b_[at];
      const double y = t < problem_.n_positive ? 1 : -1;
      objective += b_[at] * (f_[at] - y) / 2;
      if (b_[at] > low_[at] && b_[at] < high_[at]) {
        free_sum += f_[at];
        ++n_free;
      }
    }
    // A free row lies on the margin, f + intercept = 0; without one, the middle is taken.
    found.intercept = n_free > 0 ? -free_sum / n_free : -(e.lowest_rising + e.highest_falling) / 2;
    found.objective = objective;
    found.n_iter = n_iter;
    found.outcome = outcome;
    return found;
  }

  const BinaryProblem& problem_;
  KernelRows& kernel_;
  const EvaluationTable& evaluation_;
  const int64_t length_[2];
  const int64_t size_;
  std::vector<double> b_, low_, high_, f_;
  std::vector<float> diagonal_, falling_f_;
  // Zero, or infinity where a variable is at its bound (or is padding).
  std::vector<double> cannot_rise_, cannot_fall_;
};

}  // namespace

BinarySolution solve(const BinaryProblem& problem, KernelRows& kernel,
                     const EvaluationTable& evaluation, const std::atomic<bool>& cancelled) {
  return Solver(problem, kernel, evaluation).run(cancelled);
}

}  // namespace dcsvm
