#include "train/trainer.hpp"

#include <algorithm>

#include "train/pair_rows.hpp"

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
  const int64_t n_i = rows.rows(0).n_rows, n_j = rows.rows(1).n_rows;
  std::vector<double> C(n_i + n_j);
  std::vector<Real> diagonal(n_i + n_j);
  std::copy_n(p.C + p.class_start[i], n_i, C.begin());
  std::copy_n(p.C + p.class_start[j], n_j, C.begin() + n_i);
  std::copy_n(rows.rows(0).diagonal.get(), n_i, diagonal.begin());
  std::copy_n(rows.rows(1).diagonal.get(), n_j, diagonal.begin() + n_i);
  const double work_of_value = static_cast<double>(classes_.n_features()) + work_of_form;
  const BinaryProblem<Real> problem{n_i,   n_j,        C.data(),      diagonal.data(),
                                    p.tol, p.max_iter, work_of_value, p.norm_limit};
  const BinarySolution found = solve(problem, rows, classes_.evaluation(), cancelled);
  const auto before = static_cast<int64_t>(trained.support.size());
  for (int64_t t = 0; t < n_i + n_j; ++t) {
    if (found.dual[t] == 0) continue;
    const int64_t first = t < n_i ? p.class_start[i] : p.class_start[j] - n_i;
    trained.support.push_back(first + t);
    trained.coef.push_back(found.dual[t]);
  }
  trained.n_support.push_back(static_cast<int64_t>(trained.support.size()) - before);
  trained.intercept.push_back(found.intercept);
  trained.n_iter.push_back(found.n_iter);
  trained.outcome.push_back(static_cast<int8_t>(found.outcome));
  trained.value_range.push_back(found.value_range);
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace dcsvm
