#include "train/smo.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "train/shrinking.hpp"
#include "train/variables.hpp"

namespace dcsvm {
namespace {

// Iterations between two checks whether to stop, and whether to leave variables out.
constexpr int64_t iterations_per_check = 256;
// Variables are left out of problems of this size and above, if at most this share of them stays.
constexpr int64_t least_to_shrink = 2000;
constexpr double most_to_stay = 0.7;
// The work of an iteration for one variable, without kernel values, in multiplications.
constexpr double work_of_variable = 50;
// Assumed in most_that_stay: so many kernel values are cached, and this share of the others has to
// be computed, as other problems have not computed them before.
constexpr double values_cached = 1 << 24;
constexpr double share_computed = 0.5;
// How far from the optimum, in tolerances, those left out come back for the first time, and how
// often they may be left out again.
constexpr double first_return = 10;
constexpr int most_returns = 10;

std::vector<int64_t> numbers_to(int64_t n) {
  std::vector<int64_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// How many likely rows are named, from which those not known yet are taken, and among how many
// variables they are looked for: others each time.
constexpr std::size_t most_likely = 16;
constexpr int64_t most_looked_at = 1024;

template <class Real>
class Solver : private LikelyRows {
 public:
  Solver(const BinaryProblem<Real>& problem, KernelRows<Real>& kernel,
         const EvaluationTable<Real>& evaluation, const std::atomic<bool>& cancelled,
         DualState& state)
      : problem_(problem),
        kernel_(kernel),
        evaluation_(evaluation),
        cancelled_(cancelled),
        state_(state),
        v_(problem, state_, numbers_to(problem.n_positive + problem.n_negative)),
        was_used_(v_.size()) {}

  BinarySolution run() {
    find_extremes();
    Outcome outcome = iterate();
    while (!left_out_.empty() && outcome != Outcome::cancelled && outcome != Outcome::inexact) {
      if (!bring_back()) outcome = Outcome::cancelled;
      if (outcome == Outcome::converged && violation() > problem_.tol) {
        leave_out();
        outcome = iterate();
      }
    }
    v_.write(state_);
    return solution(outcome);
  }

 private:
  double violation() const { return extremes_.highest_falling - extremes_.lowest_rising; }
  double tolerance() const {
    return problem_.tol * (n_returns_ == 0 && !left_out_.empty() ? first_return : 1);
  }

  // Moves variables until those that are not left out are optimal to within the tolerance.
  Outcome iterate() {
    for (; violation() > tolerance(); ++n_iter_) {
      if (n_iter_ == problem_.max_iter) return Outcome::stopped_at_max_iter;
      if (n_iter_ % iterations_per_check == 0) {
        if (cancelled_.load(std::memory_order_relaxed)) return Outcome::cancelled;
        if (!is_exact()) return Outcome::inexact;
        leave_out();
      }
      const int64_t i = extremes_.riser;
      const KernelRow<Real> row_i = kernel_row(i);
      const int64_t j = partner(row_i);
      const double step = step_of(i, j, row_i);
      const KernelRow<Real> row_j = kernel_row(j);
      const double slope = v_.f[i] - v_.f[j];
      v_.rise(i, step);
      v_.fall(j, step);
      update(row_i, step, row_j, -step);
      objective_ += step * (slope + v_.f[i] - v_.f[j]) / 2;  // exact, as it is quadratic
    }
    return Outcome::converged;
  }

  // Whether values of type Real are exact enough for these variables, and have not led in circles
  // since the last time: every step would reduce the objective if it were not for their rounding.
  bool is_exact() {
    if (problem_.norm_limit == infinity) return true;
    const bool is_lower = objective_ < lowest_objective_;
    lowest_objective_ = std::min(objective_, lowest_objective_);
    return is_lower && squared_norm() <= problem_.norm_limit * problem_.norm_limit;
  }

  KernelRow<Real> kernel_row(int64_t at) {
    const int64_t t = v_.number(at), row = v_.row[t];
    n_used_ += was_used_[row] ? 0 : 1;
    was_used_[row] = true;
    return kernel_.row(t, *this);
  }

  // Those that violate the conditions most.
  std::vector<int64_t> likely(bool positive) const override {
    const int64_t n_of_side = positive ? v_.n_positive : v_.size() - v_.n_positive;
    const int64_t first = positive ? 0 : v_.length[0],
                  looked_at = std::min(n_of_side, most_looked_at);
    const int64_t begin = n_iter_ * most_looked_at % n_of_side;
    std::vector<std::pair<double, int64_t>> found;
    for (int64_t r = 0; r < looked_at; ++r) {
      const int64_t at = first + (begin + r < n_of_side ? begin + r : begin + r - n_of_side);
      const double by = std::max(extremes_.highest_falling - v_.f[at] - v_.cannot_rise[at],
                                 v_.f[at] - v_.cannot_fall[at] - extremes_.lowest_rising);
      if (by > problem_.tol) found.emplace_back(-by, v_.number(at));
    }
    const std::size_t n = std::min(most_likely, found.size());
    std::partial_sort(found.begin(), found.begin() + n, found.end());
    std::vector<int64_t> rows(n);
    for (std::size_t r = 0; r < n; ++r) rows[r] = found[r].second;
    return rows;
  }

  double squared_norm() const {
    double sum = squared_norm_left_out_;
    for (const double b : v_.b) sum += b * b;
    return sum;
  }

  double step_of(int64_t i, int64_t j, const KernelRow<Real>& row_i) const {
    const Real k_ij = j < v_.length[0] ? row_i.part[0][j] : row_i.part[1][j - v_.length[0]];
    const double curvature =
        std::max<double>(static_cast<double>(v_.diagonal[i]) + v_.diagonal[j] - 2.0 * k_ij, 1e-12);
    return std::min({(v_.f[j] - v_.f[i]) / curvature, v_.high[i] - v_.b[i], v_.b[j] - v_.low[j]});
  }

  void update(const KernelRow<Real>& row_i, double step_i, const KernelRow<Real>& row_j,
              double step_j) {
    extremes_ = evaluation_.update_gradient(v_.f.data(), v_.cannot_rise.data(),
                                            v_.cannot_fall.data(), v_.length, row_i.part, step_i,
                                            row_j.part, step_j, v_.falling_f.data());
  }
  void find_extremes() {
    const KernelRow<Real> none{{nullptr, nullptr}};
    update(none, 0, none, 0);
  }

  // The variable to fall while the riser rises. Selection is in the precision of Real; where that
  // finds no gain, or one that double precision does not confirm, the variable that violates most
  // is taken.
  int64_t partner(const KernelRow<Real>& row_i) const {
    const int64_t found = evaluation_.largest_gain(
        v_.falling_f.data(), v_.diagonal.data(), v_.length, row_i.part,
        static_cast<Real>(extremes_.lowest_rising), v_.diagonal[extremes_.riser]);
    return found >= 0 && v_.f[found] > extremes_.lowest_rising ? found : extremes_.faller;
  }

  // How many variables may stay if leaving out the others is to pay. For each of the others it
  // saves its part of the iterations to come, assumed to be as many as there were; in the end it
  // costs at most a kernel value with each variable that stays. How many kernel values an iteration
  // computes for it is not measured but assumed, so that results do not depend on what is cached.
  int64_t most_that_stay() {
    const auto size = static_cast<double>(v_.size()), past = static_cast<double>(n_iter_);
    const bool all_cached = static_cast<double>(n_used_) * size < values_cached;
    const double rows_a_check =
        all_cached ? static_cast<double>(n_used_ - n_used_before_) : 2.0 * iterations_per_check;
    n_used_before_ = n_used_;
    const double values = share_computed * rows_a_check / iterations_per_check;
    return static_cast<int64_t>(
        std::min(most_to_stay * size, past * (work_of_variable / problem_.work_of_value + values)));
  }

  void leave_out() {
    if (n_returns_ == most_returns || v_.size() < least_to_shrink) return;
    std::vector<int64_t> stay;
    if (!left_out_.leave(v_, extremes_, most_that_stay(), stay)) return;
    const double before = squared_norm();
    continue_with(std::move(stay));
    squared_norm_left_out_ = 0;
    squared_norm_left_out_ = before - squared_norm();
  }

  bool bring_back() {
    v_.write(state_);
    if (!left_out_.bring_back(kernel_, state_, cancelled_)) return false;
    ++n_returns_;
    squared_norm_left_out_ = 0;
    continue_with(numbers_to(problem_.n_positive + problem_.n_negative));
    return true;
  }

  void continue_with(std::vector<int64_t> rows) {
    kernel_.choose(rows);
    v_.write(state_);
    v_ = Variables<Real>(problem_, state_, std::move(rows));
    find_extremes();
  }

  BinarySolution solution(Outcome outcome) const {
    const std::vector<double>&b = state_.b, &f = state_.f;
    double free_sum = 0, lowest = infinity, highest = -infinity;
    int64_t n_free = 0;
    for (int64_t t = 0; t < static_cast<int64_t>(b.size()); ++t) {
      if (problem_.C[t] == 0) continue;
      const double value = f[t] + (t < problem_.n_positive ? 1 : -1);  // less the intercept
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
      if (b[t] != 0 && std::abs(b[t]) < problem_.C[t]) {
        free_sum += f[t];
        ++n_free;
      }
    }
    // A free row lies on the margin, f + intercept = 0; without one, the middle is taken.
    const double intercept = n_free > 0 ? -free_sum / n_free : -middle();
    return {intercept, std::max(highest - lowest, 0.0), n_iter_, outcome};
  }

  // The middle of the extremes. There is one extreme alone if a class has no rows.
  double middle() const {
    const double low = extremes_.lowest_rising, high = extremes_.highest_falling;
    if (low == infinity && high == -infinity) return 0;
    if (low == infinity) return high;
    return high == -infinity ? low : (low + high) / 2;
  }

  const BinaryProblem<Real>& problem_;
  KernelRows<Real>& kernel_;
  const EvaluationTable<Real>& evaluation_;
  const std::atomic<bool>& cancelled_;
  DualState& state_;            // of those left out, and of the others when they were last written
  Variables<Real> v_;           // of the others
  std::vector<bool> was_used_;  // whose row of the kernel matrix
  Extremes extremes_;
  LeftOut<Real> left_out_;
  double squared_norm_left_out_ = 0;
  double objective_ = 0, lowest_objective_ = infinity;  // D; at the checks
  int64_t n_iter_ = 0, n_used_ = 0, n_used_before_ = 0;
  int n_returns_ = 0;
};

}  // namespace

template <class Real>
DualState at_zero(const BinaryProblem<Real>& problem) {
  DualState state;
  state.b.resize(problem.n_positive + problem.n_negative);
  state.f.assign(problem.n_positive, -1);
  state.f.resize(state.b.size(), 1);
  return state;
}

template <class Real>
BinarySolution solve(const BinaryProblem<Real>& problem, KernelRows<Real>& kernel,
                     const EvaluationTable<Real>& evaluation, const std::atomic<bool>& cancelled,
                     DualState& state) {
  return Solver<Real>(problem, kernel, evaluation, cancelled, state).run();
}

template DualState at_zero(const BinaryProblem<float>&);
template DualState at_zero(const BinaryProblem<double>&);
template BinarySolution solve(const BinaryProblem<float>&, KernelRows<float>&,
                              const EvaluationTable<float>&, const std::atomic<bool>&, DualState&);
template BinarySolution solve(const BinaryProblem<double>&, KernelRows<double>&,
                              const EvaluationTable<double>&, const std::atomic<bool>&, DualState&);

}  // namespace dcsvm
