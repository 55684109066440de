#include "train/class_rows.hpp"

#include <algorithm>

namespace dcsvm {

template <class Real>
ClassRows<Real>::ClassRows(const FormParameters& form, const RowMap& map, const Rows& X,
                           const int64_t* class_start, int64_t n_classes, int64_t budget,
                           const EvaluationTable<Real>& evaluation)
    : form_(form),
      X_(X),
      class_start_(class_start),
      n_features_(dcsvm::n_features(X)),
      packer_(form, map, n_features_),
      evaluation_(evaluation),
      classes_(n_classes),
      budget_left_(map.own_scale == nullptr ? budget : 0) {}

template <class Real>
typename ClassRows<Real>::Class& ClassRows<Real>::ready_class(int64_t c) {
  Class& found = classes_[c];
  std::call_once(found.made_ready, [&] {
    found.rows = packer_.pack(X_, class_start_[c], class_start_[c + 1]);
    const int64_t n_values = found.rows.n_rows * found.rows.width();
    const int64_t bytes = n_values * int64_t{sizeof(Real)};
    if (budget_left_.fetch_sub(bytes) < bytes) {
      budget_left_ += bytes;
      return;
    }
    found.values = aligned<Real>(n_values);
    found.is_computed = std::vector<std::atomic<bool>>(found.rows.n_rows);
  });
  return found;
}

template <class Real>
const Real* ClassRows<Real>::values_within(int64_t c, int64_t row,
                                           const std::vector<int64_t>& others) {
  Class& own = classes_[c];
  const PackedRows<Real>& rows = own.rows;
  if (!own.is_computed[row].load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> lock(own.computing);
    if (rows.n_rows <= small_class) {
      if (!own.is_computed[row].load(std::memory_order_relaxed)) compute_all(own);
    } else {
      compute_some(own, row, others);
    }
  }
  return own.values.get() + row * rows.width();
}

template <class Real>
void ClassRows<Real>::compute_all(Class& own) {
  const PackedRows<Real>& rows = own.rows;
  kernel_values(rows.row_major.get(), rows.bias.get(), rows.n_rows, rows, 0, rows.n_panels,
                own.values.get());
  for (std::atomic<bool>& is_computed : own.is_computed)
    is_computed.store(true, std::memory_order_release);
}

template <class Real>
void ClassRows<Real>::compute_some(Class& own, int64_t row, const std::vector<int64_t>& others) {
  const int64_t width = own.rows.width();
  std::vector<int64_t> unknown;
  const auto add = [&](int64_t r) {
    if (!own.is_computed[r].load(std::memory_order_relaxed)) unknown.push_back(r);
  };
  add(row);
  for (const int64_t other : others) add(other);
  const auto n = static_cast<int64_t>(unknown.size());
  if (n == 0) return;
  const Aligned<Real> values = aligned<Real>(n * width);
  kernel_values(own.rows, unknown, own.rows, 0, own.rows.n_panels, values.get());
  for (int64_t t = 0; t < n; ++t) {
    std::copy_n(values.get() + t * width, width, own.values.get() + unknown[t] * width);
    own.is_computed[unknown[t]].store(true, std::memory_order_release);
  }
}

template <class Real>
void ClassRows<Real>::kernel_values(const PackedRows<Real>& of, const std::vector<int64_t>& rows,
                                    const PackedRows<Real>& with, int64_t first_panel,
                                    int64_t n_panels, Real* values) const {
  const auto n = static_cast<int64_t>(rows.size());
  if (n == 1) {
    kernel_values(of.row_major.get() + rows[0] * n_features_, of.bias.get() + rows[0], 1, with,
                  first_panel, n_panels, values);
    return;
  }
  const Aligned<Real> row_major = aligned<Real>(n * n_features_), bias = aligned<Real>(n);
  for (int64_t t = 0; t < n; ++t) {
    std::copy_n(of.row_major.get() + rows[t] * n_features_, n_features_,
                row_major.get() + t * n_features_);
    bias[t] = of.bias[rows[t]];
  }
  kernel_values(row_major.get(), bias.get(), n, with, first_panel, n_panels, values);
}

template <class Real>
void ClassRows<Real>::kernel_values(const Real* rows, const Real* bias, int64_t n,
                                    const PackedRows<Real>& with, int64_t first_panel,
                                    int64_t n_panels, Real* values) const {
  evaluation_.kernel_panel(form_, with.panels.get() + first_panel * n_features_ * panel_width,
                           with.bias.get() + first_panel * panel_width, n_panels, rows, bias, n,
                           n_features_, values);
}

template class ClassRows<float>;
template class ClassRows<double>;

}  // namespace dcsvm
