#include "train/training.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "train/pair_rows.hpp"

namespace dcsvm {

using std::int64_t;

namespace {

// What the form of a kernel takes beside the product of two rows, in multiplications.
constexpr double work_of_form = 10;

double power(double base, int exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

// A thread at work on a pair.
class Trainer::BusyThread {
 public:
  explicit BusyThread(Trainer& trainer) : trainer_(trainer) {
    ++trainer.n_busy_;
    ++trainer.n_begun_;
  }
  ~BusyThread() { trainer_.give_thread_back(); }

 private:
  Trainer& trainer_;
};

Trainer::Trainer(const TrainingParameters& parameters, const Rows& X,
                 const EvaluationTable<float>& evaluation)
    : parameters_(parameters), n_features_(dcsvm::n_features(X)), evaluation_(evaluation) {
  const TrainingParameters& p = parameters_;
  shared_.resize(p.n_classes);
  int64_t left = p.own_scale == nullptr ? p.shared_budget : 0;
  for (int64_t c = 0; c < p.n_classes; ++c) {
    classes_.push_back(pack(X, p.class_start[c], p.class_start[c + 1]));
    const int64_t n = classes_[c].n_rows, values = n * classes_[c].n_panels * panel_width;
    if (values * int64_t{sizeof(float)} > left) continue;
    left -= values * sizeof(float);
    shared_[c] = std::make_unique<SharedBlock>();
    shared_[c]->values = aligned<float>(values);
    shared_[c]->ready = std::vector<std::atomic<bool>>(n);
  }
}

Trainer::PackedRows Trainer::room_for(int64_t n_rows) const {
  const int64_t n_panels = (n_rows + panel_width - 1) / panel_width;
  const int64_t width = n_panels * panel_width;
  PackedRows rows{aligned<float>(n_rows * n_features_),
                  aligned<float>(width * n_features_),
                  aligned<float>(width),
                  aligned<float>(width),
                  n_rows,
                  n_panels};
  std::memset(rows.panels.get(), 0, width * n_features_ * sizeof(float));
  return rows;
}

// The first feature of a row in its panel; the others follow at distances of the panel width.
float* Trainer::lane_of(const PackedRows& rows, int64_t t) const {
  return rows.panels.get() + t / panel_width * n_features_ * panel_width + t % panel_width;
}

Trainer::PackedRows Trainer::pack(const Rows& X, int64_t begin, int64_t end) const {
  PackedRows packed = room_for(end - begin);
  std::vector<double> x(n_features_);
  for (int64_t t = 0; t < packed.n_rows; ++t) {
    float* to = lane_of(packed, t);
    std::visit(
        [&](const auto& rows) {
          rows.scatter(begin + t, x.data());
          for (int64_t d = 0; d < n_features_; ++d)
            to[d * panel_width] =
                static_cast<float>((x[d] - parameters_.centre[d]) * parameters_.scale[d]);
          rows.erase(begin + t, x.data());
        },
        X);
  }
  finish(packed);
  return packed;
}

Trainer::PackedRows Trainer::mapped(const PackedRows& rows, int64_t machine) const {
  const float* centre = parameters_.own_centre + machine * n_features_;
  const float* scale = parameters_.own_scale + machine * n_features_;
  PackedRows packed = room_for(rows.n_rows);
  for (int64_t p = 0; p < rows.n_panels; ++p)
    for (int64_t d = 0; d < n_features_; ++d) {
      const int64_t at = (p * n_features_ + d) * panel_width;
      for (int64_t lane = 0; lane < panel_width; ++lane)
        packed.panels[at + lane] = (rows.panels[at + lane] - centre[d]) * scale[d];
    }
  finish(packed);
  return packed;
}

// Panels and bias of some of the rows.
Trainer::PackedRows Trainer::chosen(const PackedRows& rows,
                                    const std::vector<int64_t>& which) const {
  PackedRows packed = room_for(static_cast<int64_t>(which.size()));
  std::fill_n(packed.bias.get(), packed.width(), 0.0f);
  for (int64_t t = 0; t < packed.n_rows; ++t) {
    const float* from = lane_of(rows, which[t]);
    float* to = lane_of(packed, t);
    for (int64_t d = 0; d < n_features_; ++d) to[d * panel_width] = from[d * panel_width];
    packed.bias[t] = rows.bias[which[t]];
  }
  return packed;
}

// Queries, bias and diagonal of rows in panels.
void Trainer::finish(PackedRows& rows) const {
  const FormParameters& form = parameters_.form;
  for (int64_t t = 0; t < rows.n_panels * panel_width; ++t) {
    const float* s = lane_of(rows, t);
    double squared_norm = 0;
    for (int64_t d = 0; d < n_features_; ++d) {
      squared_norm += static_cast<double>(s[d * panel_width]) * s[d * panel_width];
      if (t < rows.n_rows)
        rows.queries[t * n_features_ + d] = s[d * panel_width] * parameters_.query_factor;
    }
    rows.bias[t] = static_cast<float>(parameters_.bias_factor * squared_norm);
    const double dot = parameters_.query_factor * squared_norm;
    switch (form.form) {
      case Form::exp_dot:
      case Form::exp_distance:
        rows.diagonal[t] = 1;
        break;
      case Form::power:
        rows.diagonal[t] = static_cast<float>(power(dot + form.coef0, form.degree));
        break;
      case Form::tanh:
        rows.diagonal[t] = static_cast<float>(std::tanh(dot + form.coef0));
        break;
      case Form::identity:
        rows.diagonal[t] = static_cast<float>(dot);
        break;
    }
  }
}

void Trainer::kernel_rows(const PackedRows& of, int64_t first, int64_t n, const PackedRows& against,
                          float* out) const {
  evaluation_.kernel_panel(parameters_.form, against.panels.get(), against.bias.get(),
                           against.n_panels, of.queries.get() + first * n_features_,
                           of.bias.get() + first, n, n_features_, out);
}

const float* Trainer::shared_row(int64_t c, int64_t row) {
  SharedBlock& block = *shared_[c];
  const PackedRows& rows = classes_[c];
  if (!block.ready[row].load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> lock(block.computing);
    if (!block.ready[row].load(std::memory_order_relaxed)) {
      const int64_t first = rows.n_rows <= small_class ? 0 : row;
      const int64_t n = rows.n_rows <= small_class ? rows.n_rows : 1;
      kernel_rows(rows, first, n, rows, block.values.get() + first * rows.width());
      for (int64_t t = first; t < first + n; ++t)
        block.ready[t].store(true, std::memory_order_release);
    }
  }
  return block.values.get() + row * rows.width();
}

bool Trainer::take_free_thread() {
  const int64_t n_pairs = parameters_.n_classes * (parameters_.n_classes - 1) / 2;
  if (n_begun_ < n_pairs) return false;
  int64_t n_busy = n_busy_;
  while (n_busy < parameters_.n_threads)
    if (n_busy_.compare_exchange_weak(n_busy, n_busy + 1)) return true;
  return false;
}

TrainedPair Trainer::train(int64_t i, int64_t j, int64_t machine,
                           const std::atomic<bool>& cancelled) {
  const BusyThread busy(*this);
  PairRows rows(*this, i, j, machine);
  const int64_t n_i = rows.rows(0).n_rows, n_j = rows.rows(1).n_rows;
  std::vector<double> C(n_i + n_j);
  std::vector<float> diagonal(n_i + n_j);
  std::copy_n(parameters_.C + parameters_.class_start[i], n_i, C.begin());
  std::copy_n(parameters_.C + parameters_.class_start[j], n_j, C.begin() + n_i);
  std::copy_n(rows.rows(0).diagonal.get(), n_i, diagonal.begin());
  std::copy_n(rows.rows(1).diagonal.get(), n_j, diagonal.begin() + n_i);
  const double work_of_value = static_cast<double>(n_features_) + work_of_form;
  const BinarySolution found = solve({n_i, n_j, C.data(), diagonal.data(), parameters_.tol,
                                      parameters_.max_iter, work_of_value, parameters_.most_norm},
                                     rows, evaluation_, cancelled);
  TrainedPair trained{{}, {}, found.intercept, found.objective, found.n_iter, found.outcome};
  for (int64_t t = 0; t < n_i + n_j; ++t) {
    if (found.dual[t] == 0) continue;
    const int64_t first = t < n_i ? parameters_.class_start[i] : parameters_.class_start[j] - n_i;
    trained.support.push_back(first + t);
    trained.coef.push_back(found.dual[t]);
  }
  return trained;
}

}  // namespace dcsvm
