#include "train/ridge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dcsvm {
namespace {

// Rows whose products are added up at a time: a panel of them stays in the first-level cache.
constexpr int64_t rows_at_once = 128;
constexpr FormParameters product{Form::identity, 0.0, 0};
// Where a row has nearly all of the weight, what remains without it.
constexpr double least_rest = 1e-6;

// Entries of the inverse before those of the rows from 16 p on.
int64_t inverse_start(int64_t p) { return panel_width * panel_width * p * (p + 1) / 2; }

}  // namespace

Ridge::Ridge(const RidgeProblem& problem, const EvaluationTable<double>& evaluation)
    : p_(problem),
      evaluation_(evaluation),
      width_(padded(problem.n_features)),
      class_width_(padded(problem.n_classes)),
      share_(problem.weight, problem.weight + problem.n_rows),
      mean_(width_),
      base_(class_width_, -1.0),
      products_(n_parts),
      target_(zeros<double>(width_ * class_width_)),
      factors_(zeros<double>(2 * width_ * width_)),
      inverse_(aligned<double>(inverse_start(width_ / panel_width))),
      solved_(aligned<double>(width_ * class_width_)),
      by_class_(aligned<double>(width_ * class_width_)) {
  const int64_t d = p_.n_features;
  double total = 0;
  for (const double weight : share_) total += weight;
  for (double& share : share_) share /= total;
  for (int64_t r = 0; r < p_.n_rows; ++r) {
    base_[p_.codes[r]] += 2 * share_[r];
    for (int64_t f = 0; f < d; ++f) mean_[f] += share_[r] * p_.Z[r * d + f];
  }
  std::vector<double> of_class(d * p_.n_classes);
  for (int64_t r = 0; r < p_.n_rows; ++r)
    for (int64_t f = 0; f < d; ++f)
      of_class[p_.codes[r] * d + f] += 2 * share_[r] * (p_.Z[r * d + f] - mean_[f]);
  for (int64_t c = 0; c < p_.n_classes; ++c)
    for (int64_t f = 0; f < d; ++f) target_[f * class_width_ + c] = of_class[c * d + f];
}

// Centred rows times the root of their share, in panels of features, and feature by feature.
void Ridge::scaled_transpose(int64_t begin, int64_t end, double* panels, double* columns) const {
  const int64_t d = p_.n_features, n = end - begin;
  for (int64_t r = 0; r < n; ++r) {
    const double* z = p_.Z + (begin + r) * d;
    const double factor = std::sqrt(share_[begin + r]);
    for (int64_t f = 0; f < d; ++f) {
      const double value = factor * (z[f] - mean_[f]);
      panels[(f / panel_width * n + r) * panel_width + f % panel_width] = value;
      columns[f * n + r] = value;
    }
  }
}

void Ridge::add_products(int64_t part) {
  const int64_t begin = p_.n_rows * part / n_parts, end = p_.n_rows * (part + 1) / n_parts;
  Aligned<double> sums = zeros<double>(width_ * width_);
  const Aligned<double> panels = zeros<double>(width_ * rows_at_once);
  const Aligned<double> columns = zeros<double>(width_ * rows_at_once);
  const Aligned<double> found = aligned<double>(width_ * panel_width);
  const std::vector<double> none(width_);
  for (int64_t first = begin; first < end; first += rows_at_once) {
    const int64_t n = std::min(rows_at_once, end - first);
    scaled_transpose(first, first + n, panels.get(), columns.get());
    for (int64_t f = 0; f < p_.n_features; f += panel_width) {
      const int64_t n_columns = p_.n_features - f;
      evaluation_.kernel_panel(product, panels.get() + f * n, none.data(), 1, columns.get() + f * n,
                               none.data(), n_columns, n, found.get());
      for (int64_t a = 0; a < n_columns; ++a)
        for (int64_t lane = 0; lane < panel_width; ++lane)
          sums[(f + a) * width_ + f + lane] += found[a * panel_width + lane];
    }
  }
  products_[part] = std::move(sums);
}

void Ridge::finish_products() {
  double* total = products_[0].get();
  for (int64_t part = 1; part < n_parts; ++part) {
    for (int64_t t = 0; t < width_ * width_; ++t) total[t] += products_[part][t];
    products_[part].reset();
  }
}

void Ridge::solve(double penalty) {
  const double* A = products_[0].get();
  double trace = 0;
  for (int64_t f = 0; f < width_; ++f) trace += A[f * width_ + f];
  const double added = std::max(penalty * trace / static_cast<double>(p_.n_features),
                                std::numeric_limits<double>::min());
  std::vector<double> coef(width_);
  for (int64_t i = 0; i < width_; ++i) {
    double* row = row_of(i);
    for (int64_t f = i; f < width_; ++f) row[f] = A[f * width_ + i];
    std::fill(row + width_, row + 2 * width_, 0.0);
    row[i] += added;
    row[width_ + i] = 1;
    for (int64_t r = 0; r < i; ++r) coef[r] = -row_of(r)[i];
    const int64_t first = i / panel_width * panel_width;  // of U from the diagonal, of M up to it
    evaluation_.add_weighted_rows(factors_.get() + first, 2 * width_, width_ + panel_width,
                                  coef.data(), i, row + first);
    const double scale = 1 / std::sqrt(std::max(row[i], added / 2));
    for (int64_t t = i; t <= width_ + i; ++t) row[t] *= scale;
    std::fill(row + width_ + i + 1, row + 2 * width_, 0.0);
    const int64_t p = i / panel_width, length = (p + 1) * panel_width;
    std::copy_n(row + width_, length, inverse_.get() + inverse_start(p) + i % panel_width * length);
    double* solved = solved_.get() + i * class_width_;
    std::fill_n(solved, class_width_, 0.0);
    evaluation_.add_weighted_rows(target_.get(), class_width_, class_width_, inverse_row(i), i + 1,
                                  solved);
    for (int64_t c = 0; c < class_width_; ++c) by_class_[c * width_ + i] = solved[c];
  }
}

double Ridge::leave_out(const int64_t* rows, int64_t n, double* left_out) const {
  const int64_t d = p_.n_features, k = p_.n_classes;
  const Aligned<double> z = zeros<double>(width_ * panel_width);
  const Aligned<double> image = aligned<double>(width_ * panel_width);  // M z
  const Aligned<double> scores = aligned<double>(class_width_ * panel_width);
  const std::vector<double> none(std::max(width_, class_width_));
  double right = 0;
  for (int64_t first = 0; first < n; first += panel_width) {
    const int64_t lanes = std::min(panel_width, n - first);
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t f = 0; f < d; ++f)
        z[f * panel_width + lane] = p_.Z[rows[first + lane] * d + f] - mean_[f];
    for (int64_t p = 0; p < width_ / panel_width; ++p)
      evaluation_.kernel_panel(product, z.get(), none.data(), 1, inverse_.get() + inverse_start(p),
                               none.data(), panel_width, (p + 1) * panel_width,
                               image.get() + p * panel_width * panel_width);
    evaluation_.kernel_panel(product, image.get(), none.data(), 1, by_class_.get(), none.data(), k,
                             width_, scores.get());
    double leverage[panel_width] = {};
    for (int64_t f = 0; f < width_; ++f)
      for (int64_t lane = 0; lane < panel_width; ++lane)
        leverage[lane] += image[f * panel_width + lane] * image[f * panel_width + lane];
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t row = rows[first + lane], own_class = p_.codes[row];
      const double own = share_[row] * (leverage[lane] + 1);
      const double factor = own / std::max(1 - own, least_rest);
      double* out = left_out + (first + lane) * k;
      for (int64_t c = 0; c < k; ++c) {
        const double score = scores[c * panel_width + lane] + base_[c];
        out[c] = score - ((c == own_class ? 1 : -1) - score) * factor;
      }
      if (std::max_element(out, out + k) - out == own_class) right += p_.weight[row];
    }
  }
  return right;
}

void Ridge::write(double* weights, double* intercept) const {
  const int64_t d = p_.n_features;
  std::vector<double> coef(width_);
  const Aligned<double> of_feature = aligned<double>(class_width_);
  std::copy_n(base_.data(), p_.n_classes, intercept);
  for (int64_t f = 0; f < d; ++f) {
    for (int64_t r = f; r < width_; ++r) coef[r] = inverse_row(r)[f];
    std::fill_n(of_feature.get(), class_width_, 0.0);
    evaluation_.add_weighted_rows(solved_.get() + f * class_width_, class_width_, class_width_,
                                  coef.data() + f, width_ - f, of_feature.get());
    for (int64_t c = 0; c < p_.n_classes; ++c) {
      weights[c * d + f] = of_feature[c];
      intercept[c] -= of_feature[c] * mean_[f];
    }
  }
}

}  // namespace dcsvm
