#include "train/class_rows.hpp"

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
const Real* ClassRows<Real>::values_within(int64_t c, int64_t row) {
  Class& own = classes_[c];
  const PackedRows<Real>& rows = own.rows;
  if (!own.is_computed[row].load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> lock(own.computing);
    if (!own.is_computed[row].load(std::memory_order_relaxed)) {
      const int64_t first = rows.n_rows <= small_class ? 0 : row;
      const int64_t n = rows.n_rows <= small_class ? rows.n_rows : 1;
      kernel_values(rows.row_major.get() + first * n_features_, rows.bias.get() + first, n, rows, 0,
                    rows.n_panels, own.values.get() + first * rows.width());
      for (int64_t t = first; t < first + n; ++t)
        own.is_computed[t].store(true, std::memory_order_release);
    }
  }
  return own.values.get() + row * rows.width();
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
