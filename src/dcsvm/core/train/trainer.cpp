#include "train/trainer.hpp"

#include <algorithm>

#include "train/pair_rows.hpp"
#include "train/warm_start.hpp"

namespace dcsvm {

namespace {

// What the form of a kernel takes beside the product of two rows, in multiplications.
constexpr double work_of_form = 10;

// A thread that trains a pair.
class BusyThread {
 public:
  explicit BusyThread(ThreadCount& threads) : threads_(threads) { threads.begin_pair(); }
  ~BusyThread() { threads_.give_back(); }

 private:
  ThreadCount& threads_;
};

// Classes i < j with the rows of both, those of i first, and the solutions of the variants.
template <class Real>
class PairVariants {
 public:
  PairVariants(const TrainingParameters& p, ClassRows<Real>& classes, PairRows<Real>& rows,
               int64_t i, int64_t j)
      : parameters_(p),
        variants_(p.variants),
        classes_(classes),
        rows_(rows),
        class_{i, j},
        n_{rows.rows(0).n_rows, rows.rows(1).n_rows},
        diagonal_(n_[0] + n_[1]),
        C_(p.variants.n, std::vector<double>(n_[0] + n_[1])),
        states_(p.variants.n) {
    for (int side = 0; side < 2; ++side) {
      std::copy_n(rows.rows(side).diagonal.get(), n_[side], diagonal_.begin() + side * n_[0]);
      for (int64_t v = 0; v < p.variants.n; ++v)
        std::copy_n(p.variants.C + v * p.variants.n_rows + first_row(side), n_[side],
                    C_[v].begin() + side * n_[0]);
    }
  }

  BinarySolution train(int64_t v, const std::atomic<bool>& cancelled) {
    const TrainingParameters& p = parameters_;
    const double work_of_value = static_cast<double>(classes_.n_features()) + work_of_form;
    const BinaryProblem<Real> problem{n_[0], n_[1],      C_[v].data(),  diagonal_.data(),
                                      p.tol, p.max_iter, work_of_value, p.norm_limit};
    const int64_t start = variants_.start[v];
    if (start < 0) {
      states_[v] = at_zero(problem);
    } else {
      states_[v] = states_[start];
      if (!carry_over(C_[start].data(), problem, rows_, cancelled, states_[v]))
        return not_trained(Outcome::cancelled);
    }
    return solve(problem, rows_, classes_.evaluation(), cancelled, states_[v]);
  }

  static BinarySolution not_trained(Outcome why) { return {0, 0, 0, why}; }

  void write(int64_t v, const BinarySolution& found, TrainedPairs& trained) const {
    const auto before = static_cast<int64_t>(trained.support.size());
    const std::vector<double>& b = states_[v].b;  // empty where the variant has not been trained
    for (int64_t t = 0; t < static_cast<int64_t>(b.size()); ++t) {
      if (b[t] == 0) continue;
      trained.support.push_back(t < n_[0] ? first_row(0) + t : first_row(1) + t - n_[0]);
      trained.coef.push_back(b[t]);
    }
    trained.n_support.push_back(static_cast<int64_t>(trained.support.size()) - before);
    trained.intercept.push_back(found.intercept);
    trained.n_iter.push_back(found.n_iter);
    trained.outcome.push_back(static_cast<int8_t>(found.outcome));
    trained.value_range.push_back(found.value_range);
    if (variants_.place != nullptr && !b.empty()) write_values(v, found.intercept);
  }

 private:
  int64_t first_row(int side) const { return parameters_.class_start[class_[side]]; }

  void write_values(int64_t v, double intercept) const {
    const double* f = states_[v].f.data();
    for (int side = 0; side < 2; ++side) {
      const int64_t* place = variants_.place + v * variants_.n_rows + first_row(side);
      const double target = side == 0 ? 1 : -1;
      for (int64_t r = 0; r < n_[side]; ++r, ++f)
        if (place[r] >= 0)
          variants_.values[place[r] * parameters_.n_classes + class_[1 - side]] =
              *f + target + intercept;
    }
  }

  const TrainingParameters& parameters_;
  const Variants& variants_;
  ClassRows<Real>& classes_;
  PairRows<Real>& rows_;
  const int64_t class_[2], n_[2];
  std::vector<Real> diagonal_;
  std::vector<std::vector<double>> C_;
  std::vector<DualState> states_;
};

}  // namespace

template <class Real>
Trainer<Real>::Trainer(const TrainingParameters& p, const Rows& X,
                       const EvaluationTable<Real>& evaluation)
    : parameters_(p),
      classes_(p.form, p.map, X, p.class_start, p.n_classes, p.shared_budget, evaluation),
      threads_(p.n_threads, p.n_pairs) {}

template <class Real>
void Trainer<Real>::train(int64_t i, int64_t j, int64_t machine, const std::atomic<bool>& cancelled,
                          TrainedPairs& trained) {
  const TrainingParameters& p = parameters_;
  const BusyThread busy(threads_);
  PairRows<Real> rows(classes_, threads_, i, j, machine, p.map.own_scale != nullptr, p.pair_budget);
  PairVariants<Real> pair(p, classes_, rows, i, j);
  Outcome last = Outcome::converged;
  for (int64_t v = 0; v < p.variants.n; ++v) {
    const bool goes_on = last != Outcome::cancelled && last != Outcome::inexact;
    const BinarySolution found = goes_on ? pair.train(v, cancelled) : pair.not_trained(last);
    pair.write(v, found, trained);
    last = found.outcome;
  }
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace dcsvm
