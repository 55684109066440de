#include "train/pair_rows.hpp"

#include <algorithm>
#include <exception>
#include <numeric>

namespace dcsvm {

namespace {

// A block of kernel values that products are summed over: these many rows and panels of columns,
// small enough to stay in a core's cache.
constexpr int64_t block_rows = 64;
constexpr int64_t block_panels = 64;

// Rows that take so many multiplications are computed by two threads if one is free.
constexpr int64_t worth_sharing = 1 << 19;

// Rows that are computed together where the rows they meet take more bytes than the first levels
// of a processor's cache hold.
constexpr std::size_t rows_together = 8;
constexpr int64_t most_bytes_alone = 1 << 18;

// The places of the numbers of `some` among those of `all`, both rising; empty if one is missing.
std::vector<int64_t> places(const std::vector<int64_t>& some, const std::vector<int64_t>& all) {
  std::vector<int64_t> found;
  std::size_t at = 0;
  for (const int64_t s : some) {
    while (at < all.size() && all[at] < s) ++at;
    if (at == all.size() || all[at] != s) return {};
    found.push_back(static_cast<int64_t>(at));
  }
  return found;
}

class NoneLikely : public LikelyRows {
 public:
  std::vector<int64_t> likely(bool) const override { return {}; }
};

}  // namespace

template <class Real>
PairRows<Real>::PairRows(ClassRows<Real>& classes, ThreadCount& threads, int64_t i, int64_t j,
                         int64_t machine, bool standardised, int64_t budget)
    : classes_(classes), threads_(threads), class_{i, j}, budget_(budget) {
  for (int side = 0; side < 2; ++side) {
    rows_[side] = &classes.rows(class_[side]);
    values_kept_[side] = classes.keeps_values(class_[side]);
    if (standardised) {
      standardised_[side] = classes.packer().standardised(*rows_[side], machine);
      rows_[side] = &standardised_[side];
    }
  }
  compute_small_block();
  choose_all();
}

template <class Real>
PairRows<Real>::~PairRows() {
  if (spare_thread_ == nullptr) return;
  spare_thread_.reset();
  threads_.give_back();
}

// All values between two small classes, and once more with rows and columns exchanged.
template <class Real>
void PairRows<Real>::compute_small_block() {
  const PackedRows<Real>&a = *rows_[0], &b = *rows_[1];
  const int64_t bytes = (a.n_rows * b.width() + b.n_rows * a.width()) * int64_t{sizeof(Real)};
  if (std::max(a.n_rows, b.n_rows) > small_class || bytes > budget_ / 2) return;
  block_[0] = aligned<Real>(a.n_rows * b.width());
  block_[1] = zeros<Real>(b.n_rows * a.width());
  classes_.kernel_values(a.row_major.get(), a.bias.get(), a.n_rows, b, 0, b.n_panels,
                         block_[0].get());
  for (int64_t first = 0; first < a.n_rows; first += panel_width)
    for (int64_t t = 0; t < b.n_rows; ++t)
      for (int64_t s = first; s < std::min(first + panel_width, a.n_rows); ++s)
        block_[1][t * a.width() + s] = block_[0][s * b.width() + t];
}

template <class Real>
void PairRows<Real>::make_cache(int side, int part) {
  cache_[side][part].reset();  // its memory first
  const int64_t n = all_ ? rows_[side]->n_rows : static_cast<int64_t>(chosen_.side[side].size());
  cache_[side][part] = std::make_unique<RowCache<Real>>(n, columns(part).width(), budget_ / 4);
}

template <class Real>
void PairRows<Real>::choose_all() {
  all_ = true;
  for (int side = 0; side < 2; ++side) {
    chosen_.side[side].resize(rows_[side]->n_rows);
    std::iota(chosen_.side[side].begin(), chosen_.side[side].end(), 0);
    for (int part = 0; part < 2; ++part) {
      const bool known = side == part ? values_kept_[side] : block_[side] != nullptr;
      if (known)
        cache_[side][part].reset();
      else
        make_cache(side, part);
    }
  }
}

template <class Real>
void PairRows<Real>::choose(const std::vector<int64_t>& rows) {
  if (spare_thread_ != nullptr) spare_thread_->rest();  // it reads what changes now
  if (static_cast<int64_t>(rows.size()) == rows_[0]->n_rows + rows_[1]->n_rows) {
    choose_all();
    return;
  }
  all_ = false;
  Split before = split(rows);
  std::swap(before, chosen_);
  std::vector<int64_t> kept[2];
  bool are_kept = true;
  for (int side = 0; side < 2; ++side) {
    kept[side] = places(chosen_.side[side], before.side[side]);
    are_kept = are_kept && kept[side].size() == chosen_.side[side].size();
    chosen_rows_[side] = classes_.packer().chosen(*rows_[side], chosen_.side[side]);
  }
  for (int side = 0; side < 2; ++side)
    for (int part = 0; part < 2; ++part)
      if (are_kept && cache_[side][part] != nullptr)
        cache_[side][part]->keep(kept[side], kept[part], columns(part).width());
      else
        make_cache(side, part);
}

template <class Real>
typename PairRows<Real>::Split PairRows<Real>::split(const std::vector<int64_t>& rows) const {
  Split found;
  for (const int64_t t : rows) {
    const bool first = t < rows_[0]->n_rows;
    found.side[first ? 0 : 1].push_back(first ? t : t - rows_[0]->n_rows);
  }
  return found;
}

template <class Real>
KernelRow<Real> PairRows<Real>::row(int64_t t, const LikelyRows& likely) {
  const auto n_first = static_cast<int64_t>(chosen_.side[0].size());
  const int side = t < n_first ? 0 : 1;
  const int64_t number = side == 0 ? t : t - n_first, own = chosen_.side[side][number];
  const std::vector<int64_t> with = companions(side, number, likely);
  KernelRow<Real> found;
  for (int part = 0; part < 2; ++part) {
    if (cache_[side][part] != nullptr)
      found.part[part] = cached(side, part, number, with);
    else if (side == part && values_kept_[side])
      found.part[part] = values_within(side, own, with);
    else
      found.part[part] = block_[side].get() + own * rows_[part]->width();
  }
  return found;
}

// Whether a part of a row is still to be computed and takes longer to read than to multiply, and
// there is room for others like it.
template <class Real>
bool PairRows<Real>::is_worth_company(int side, int part, int64_t number) const {
  const PackedRows<Real>& with = columns(part);
  if (with.width() * classes_.n_features() * int64_t{sizeof(Real)} <= most_bytes_alone)
    return false;
  const RowCache<Real>* cache = cache_[side][part].get();
  if (side == part && values_kept_[side])
    return (cache == nullptr || !cache->has(number)) &&
           !classes_.knows(class_[side], chosen_.side[side][number]);
  return cache != nullptr && cache->has_room_for_all() && !cache->has(number);
}

template <class Real>
std::vector<int64_t> PairRows<Real>::companions(int side, int64_t number,
                                                const LikelyRows& likely) const {
  const bool is_missing = is_worth_company(side, 0, number) || is_worth_company(side, 1, number);
  if (!is_missing) return {};
  std::vector<int64_t> found = likely.likely(side == 0);
  for (int64_t& t : found) t -= side == 0 ? 0 : static_cast<int64_t>(chosen_.side[0].size());
  const auto is_known = [&](int64_t t) {
    const RowCache<Real>* across = cache_[side][1 - side].get();
    return t == number || (across != nullptr && across->has(t));
  };
  found.erase(std::remove_if(found.begin(), found.end(), is_known), found.end());
  if (found.size() > rows_together - 1) found.resize(rows_together - 1);
  return found;
}

template <class Real>
const Real* PairRows<Real>::values_within(int side, int64_t own,
                                          const std::vector<int64_t>& companions) {
  std::vector<int64_t> others(companions.size());
  for (std::size_t t = 0; t < others.size(); ++t) others[t] = chosen_.side[side][companions[t]];
  return classes_.values_within(class_[side], own, others);
}

template <class Real>
Real* PairRows<Real>::cached(int side, int part, int64_t number,
                             const std::vector<int64_t>& companions) {
  RowCache<Real>& cache = *cache_[side][part];
  bool is_new;
  Real* values = cache.find(number, is_new);
  if (!is_new) return values;
  const int64_t own = chosen_.side[side][number];
  if (side == part && values_kept_[side]) {
    gather(values_within(side, own, companions), chosen_.side[side], columns(part).width(), values);
    return values;
  }
  std::vector<int64_t> rows{own};
  // Where there is room for all rows, new ones follow each other.
  if (cache.has_room_for_all())
    for (const int64_t t : companions) {
      if (cache.has(t)) continue;
      cache.find(t, is_new);
      rows.push_back(chosen_.side[side][t]);
    }
  compute(side, part, rows, values);
  return values;
}

template <class Real>
void PairRows<Real>::compute(int side, int part, const std::vector<int64_t>& own, Real* values) {
  const PackedRows<Real>&of = *rows_[side], &with = columns(part);
  const int64_t n_panels = with.n_panels, half = n_panels / 2;
  const int64_t work = n_panels * panel_width * classes_.n_features();
  const auto compute_panels = [this, &of, &with, own](int64_t begin, int64_t end, Real* to) {
    classes_.kernel_values(of, own, with, begin, end - begin, to);
  };
  if (own.size() > 1 || work < worth_sharing || !has_spare_thread()) {
    compute_panels(0, n_panels, values);
    return;
  }
  Real* aside = shared_work_.get();
  if (!spare_thread_->begin([=] { compute_panels(half, n_panels, aside); })) {
    compute_panels(0, n_panels, values);
    return;
  }
  compute_panels(0, half, values);
  if (spare_thread_->ends_soon())
    std::copy_n(aside, (n_panels - half) * panel_width, values + half * panel_width);
  else
    compute_panels(half, n_panels, values + half * panel_width);
}

template <class Real>
bool PairRows<Real>::has_spare_thread() {
  if (spare_thread_ != nullptr) return true;
  if (!may_share_work_ || !threads_.take_free_thread()) return false;
  try {
    shared_work_ = aligned<Real>(rows_[0]->width() + rows_[1]->width());
    spare_thread_ = std::make_unique<SpareThread>();
  } catch (const std::exception&) {  // no memory or no thread: this one does all the work
    may_share_work_ = false;
    threads_.give_back();
  }
  return spare_thread_ != nullptr;
}

template <class Real>
bool PairRows<Real>::add_products(const std::vector<int64_t>& of, const std::vector<double>& coef,
                                  const std::vector<int64_t>& with, double* sums,
                                  const std::atomic<bool>& cancelled) const {
  const Split vectors = split(of), by_class = split(with);
  for (int part = 0; part < 2; ++part) {
    const PackedRows<Real> columns = classes_.packer().chosen(*rows_[part], by_class.side[part]);
    std::vector<double> total(columns.width());
    const double* weight = coef.data();
    for (int side = 0; side < 2; weight += vectors.side[side].size(), ++side)
      if (!add_products(side, vectors.side[side], weight, columns, total.data(), cancelled))
        return false;
    for (int64_t t = 0; t < columns.n_rows; ++t) *sums++ += total[t];
  }
  return true;
}

template <class Real>
bool PairRows<Real>::add_products(int side, const std::vector<int64_t>& of, const double* coef,
                                  const PackedRows<Real>& with, double* sums,
                                  const std::atomic<bool>& cancelled) const {
  const int64_t n_features = classes_.n_features(), n = static_cast<int64_t>(of.size());
  const Aligned<Real> row_major = aligned<Real>(block_rows * n_features);
  const Aligned<Real> block = aligned<Real>(block_rows * block_panels * panel_width);
  Real bias[block_rows];
  for (int64_t first = 0; first < n; first += block_rows) {
    const int64_t n_rows = std::min(block_rows, n - first);
    for (int64_t r = 0; r < n_rows; ++r) {
      const Real* row = rows_[side]->row_major.get() + of[first + r] * n_features;
      std::copy_n(row, n_features, row_major.get() + r * n_features);
      bias[r] = rows_[side]->bias[of[first + r]];
    }
    for (int64_t p = 0; p < with.n_panels; p += block_panels) {
      if (cancelled.load(std::memory_order_relaxed)) return false;
      const int64_t n_panels = std::min(block_panels, with.n_panels - p);
      classes_.kernel_values(row_major.get(), bias, n_rows, with, p, n_panels, block.get());
      classes_.evaluation().add_weighted_rows(block.get(), n_panels * panel_width,
                                              n_panels * panel_width, coef + first, n_rows,
                                              sums + p * panel_width);
    }
  }
  return true;
}

template <class Real>
bool PairRows<Real>::has_room_for_all() const {
  for (const auto& of_side : cache_)
    for (const auto& cache : of_side)
      if (cache != nullptr && !cache->has_room_for_all()) return false;
  return true;
}

template <class Real>
bool PairRows<Real>::add_products_with_all(const std::vector<int64_t>& of,
                                           const std::vector<double>& coef, double* sums,
                                           const std::atomic<bool>& cancelled) {
  if (!has_room_for_all()) {
    std::vector<int64_t> all(rows_[0]->n_rows + rows_[1]->n_rows);
    std::iota(all.begin(), all.end(), 0);
    return add_products(of, coef, all, sums, cancelled);
  }
  const NoneLikely none;
  std::vector<double> total[2];
  for (int part = 0; part < 2; ++part) total[part].resize(rows_[part]->width());
  for (std::size_t s = 0; s < of.size(); ++s) {
    if (cancelled.load(std::memory_order_relaxed)) return false;
    const KernelRow<Real> values = row(of[s], none);
    for (int part = 0; part < 2; ++part)
      classes_.evaluation().add_weighted_rows(values.part[part], rows_[part]->width(),
                                              rows_[part]->width(), &coef[s], 1,
                                              total[part].data());
  }
  for (int part = 0; part < 2; ++part)
    for (int64_t t = 0; t < rows_[part]->n_rows; ++t) *sums++ += total[part][t];
  return true;
}

template class PairRows<float>;
template class PairRows<double>;

}  // namespace dcsvm
