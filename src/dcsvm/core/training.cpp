#include "training.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dcsvm {

using std::int64_t;

namespace {

// Classes of so many rows count as small.
constexpr int64_t small_class = 256;

// Rows of kernel values, the least recently used of which makes room for the next.
class RowCache {
 public:
  RowCache(int64_t n_rows, int64_t row_length, int64_t budget)
      : row_length_(row_length), slot_of_(n_rows, -1) {
    const int64_t affordable = budget / std::max<int64_t>(1, row_length * sizeof(float));
    n_slots_ = std::min(n_rows, std::max<int64_t>(affordable, 4));
    memory_ = aligned_floats(n_slots_ * row_length);
    row_in_.assign(n_slots_, -1);
    before_.resize(n_slots_);
    after_.resize(n_slots_);
  }

  // The place of a row, and whether its values are yet to be computed.
  float* find(int64_t row, bool& is_new) {
    int64_t slot = slot_of_[row];
    is_new = slot < 0;
    if (!is_new) {
      if (slot != newest_) {
        unlink(slot);
        link(slot);
      }
    } else if (used_ < n_slots_) {
      slot = used_++;
      take(slot, row);
      link(slot);
    } else {
      slot = oldest_;
      slot_of_[row_in_[slot]] = -1;
      unlink(slot);
      take(slot, row);
      link(slot);
    }
    return memory_.get() + slot * row_length_;
  }

 private:
  void take(int64_t slot, int64_t row) {
    row_in_[slot] = row;
    slot_of_[row] = slot;
  }
  void link(int64_t slot) {
    before_[slot] = newest_;
    after_[slot] = -1;
    (newest_ < 0 ? oldest_ : after_[newest_]) = slot;
    newest_ = slot;
  }
  void unlink(int64_t slot) {
    (before_[slot] < 0 ? oldest_ : after_[before_[slot]]) = after_[slot];
    (after_[slot] < 0 ? newest_ : before_[after_[slot]]) = before_[slot];
  }

  int64_t row_length_, n_slots_ = 0, used_ = 0, oldest_ = -1, newest_ = -1;
  AlignedFloats memory_;
  std::vector<int64_t> slot_of_, row_in_, before_, after_;
};

double power(double base, int exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

Trainer::Trainer(const TrainingParameters& parameters, const Rows& X,
                 const EvaluationTable& evaluation)
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
    shared_[c]->values = aligned_floats(values);
    shared_[c]->ready = std::vector<std::atomic<bool>>(n);
  }
}

Trainer::PackedRows Trainer::room_for(int64_t n_rows) const {
  const int64_t n_panels = (n_rows + panel_width - 1) / panel_width;
  const int64_t width = n_panels * panel_width;
  PackedRows rows{aligned_floats(n_rows * n_features_),
                  aligned_floats(width * n_features_),
                  aligned_floats(width),
                  aligned_floats(width),
                  n_rows,
                  n_panels};
  std::memset(rows.panels.get(), 0, width * n_features_ * sizeof(float));
  return rows;
}

Trainer::PackedRows Trainer::pack(const Rows& X, int64_t begin, int64_t end) const {
  PackedRows packed = room_for(end - begin);
  std::vector<double> x(n_features_);
  for (int64_t t = 0; t < packed.n_rows; ++t) {
    float* to = packed.panels.get() + t / panel_width * n_features_ * panel_width + t % panel_width;
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

// Queries, bias and diagonal of rows in panels.
void Trainer::finish(PackedRows& rows) const {
  const FormParameters& form = parameters_.form;
  for (int64_t t = 0; t < rows.n_panels * panel_width; ++t) {
    const float* s =
        rows.panels.get() + t / panel_width * n_features_ * panel_width + t % panel_width;
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

// The kernel matrix of a pair: each row in the part of its own class and that of the other.
class Trainer::PairRows : public KernelRows {
 public:
  PairRows(Trainer& trainer, int64_t i, int64_t j, int64_t machine)
      : trainer_(trainer), class_{i, j} {
    const TrainingParameters& p = trainer.parameters_;
    for (int side = 0; side < 2; ++side) {
      rows_[side] = &trainer.classes_[class_[side]];
      if (p.own_scale != nullptr) {
        mapped_[side] = trainer.mapped(*rows_[side], machine);
        rows_[side] = &mapped_[side];
      }
    }
    compute_small_block();
    for (int side = 0; side < 2; ++side)
      for (int part = 0; part < 2; ++part) {
        const bool known =
            side == part ? trainer.shared_[class_[side]] != nullptr : block_[side] != nullptr;
        if (!known)
          cache_[side][part] = std::make_unique<RowCache>(rows_[side]->n_rows, rows_[part]->width(),
                                                          p.pair_budget / 4);
      }
  }

  KernelRow row(int64_t t) override {
    const int side = t < rows_[0]->n_rows ? 0 : 1;
    const int64_t own = side == 0 ? t : t - rows_[0]->n_rows;
    KernelRow found;
    for (int part = 0; part < 2; ++part) {
      if (cache_[side][part] != nullptr) {
        bool is_new;
        float* values = cache_[side][part]->find(own, is_new);
        if (is_new) trainer_.kernel_rows(*rows_[side], own, 1, *rows_[part], values);
        found.part[part] = values;
      } else if (side == part) {
        found.part[part] = trainer_.shared_row(class_[side], own);
      } else {
        found.part[part] = block_[side].get() + own * rows_[part]->width();
      }
    }
    return found;
  }

  const PackedRows& rows(int side) const { return *rows_[side]; }

 private:
  // All values between two small classes, and once more with rows and columns exchanged.
  void compute_small_block() {
    const PackedRows &a = *rows_[0], &b = *rows_[1];
    const int64_t bytes = (a.n_rows * b.width() + b.n_rows * a.width()) * int64_t{sizeof(float)};
    if (std::max(a.n_rows, b.n_rows) > small_class || bytes > trainer_.parameters_.pair_budget / 2)
      return;
    block_[0] = aligned_floats(a.n_rows * b.width());
    block_[1] = aligned_floats(b.n_rows * a.width());
    trainer_.kernel_rows(a, 0, a.n_rows, b, block_[0].get());
    std::memset(block_[1].get(), 0, b.n_rows * a.width() * sizeof(float));
    for (int64_t first = 0; first < a.n_rows; first += panel_width)
      for (int64_t t = 0; t < b.n_rows; ++t)
        for (int64_t s = first; s < std::min(first + panel_width, a.n_rows); ++s)
          block_[1][t * a.width() + s] = block_[0][s * b.width() + t];
  }

  Trainer& trainer_;
  const int64_t class_[2];
  const PackedRows* rows_[2];
  PackedRows mapped_[2];
  // Values within a class are the trainer's; those not in a block are cached.
  AlignedFloats block_[2];
  std::unique_ptr<RowCache> cache_[2][2];
};

TrainedPair Trainer::train(int64_t i, int64_t j, int64_t machine,
                           const std::atomic<bool>& cancelled) {
  PairRows rows(*this, i, j, machine);
  const int64_t n_i = rows.rows(0).n_rows, n_j = rows.rows(1).n_rows;
  std::vector<double> C(n_i + n_j);
  std::vector<float> diagonal(n_i + n_j);
  std::copy_n(parameters_.C + parameters_.class_start[i], n_i, C.begin());
  std::copy_n(parameters_.C + parameters_.class_start[j], n_j, C.begin() + n_i);
  std::copy_n(rows.rows(0).diagonal.get(), n_i, diagonal.begin());
  std::copy_n(rows.rows(1).diagonal.get(), n_j, diagonal.begin() + n_i);
  const BinarySolution found = solve({n_i, n_j, C.data(), diagonal.data(), parameters_.tol,
                                      parameters_.max_iter, parameters_.most_norm},
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
