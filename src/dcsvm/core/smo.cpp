#include "smo.hpp"

#include <algorithm>
#include <limits>

namespace dcsvm {
namespace {

using std::int64_t;

constexpr double infinity = std::numeric_limits<double>::infinity();
// How often a solver looks whether it has been cancelled.
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
      if (n_iter % iterations_per_look == 0 && cancelled.load(std::memory_order_relaxed)) {
        outcome = Outcome::cancelled;
        break;
      }
      const int64_t i = e.riser;
      const KernelRow row_i = kernel_.row(row_at(i));
      const int64_t j = partner(i, row_i);
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
    Extremes e{infinity, -infinity, 0};
    for (int s = 0; s < 2; ++s) {
      const int64_t offset = s == 0 ? 0 : length_[0];
      const Extremes part = evaluation_.update_gradient(
          f_.data() + offset, cannot_rise_.data() + offset, cannot_fall_.data() + offset,
          length_[s], row_i.part[s], step_i, row_j.part[s], step_j);
      if (part.lowest_rising < e.lowest_rising) {
        e.lowest_rising = part.lowest_rising;
        e.riser = part.riser + offset;
      }
      e.highest_falling = std::max(e.highest_falling, part.highest_falling);
    }
    return e;
  }

  int64_t partner(int64_t i, const KernelRow& row_i) const {
    Gain best{-1, 0};
    for (int s = 0; s < 2; ++s) {
      const int64_t offset = s == 0 ? 0 : length_[0];
      const Gain part = evaluation_.largest_gain(f_.data() + offset, cannot_fall_.data() + offset,
                                                 diagonal_.data() + offset, length_[s],
                                                 row_i.part[s], f_[i], diagonal_[i]);
      if (part.gain > best.gain) best = {part.gain, part.faller + offset};
    }
    return best.faller;
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
  std::vector<float> diagonal_;
  // Zero, or infinity where a variable is at its bound (or is padding).
  std::vector<double> cannot_rise_, cannot_fall_;
};

}  // namespace

BinarySolution solve(const BinaryProblem& problem, KernelRows& kernel,
                     const EvaluationTable& evaluation, const std::atomic<bool>& cancelled) {
  return Solver(problem, kernel, evaluation).run(cancelled);
}

}  // namespace dcsvm
