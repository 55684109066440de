// Rows of kernel values, the least recently used of which makes room for the next.
#pragma once

#include <algorithm>
#include <vector>

#include "simd/aligned.hpp"

namespace dcsvm {

// Copies the chosen of some values one behind the other and fills up with zeros. The copy may
// begin where the values do, or before.
template <class Real>
void gather(const Real* values, const std::vector<int64_t>& chosen, int64_t width, Real* to) {
  int64_t t = 0;
  for (const int64_t c : chosen) to[t++] = values[c];
  std::fill(to + t, to + width, Real{0});
}

template <class Real>
class RowCache {
 public:
  RowCache(int64_t n_rows, int64_t row_length, int64_t budget)
      : row_length_(row_length), slot_of_(n_rows, -1) {
    const int64_t affordable = budget / std::max<int64_t>(1, row_length * int64_t{sizeof(Real)});
    const int64_t n_slots = std::min(n_rows, std::max<int64_t>(affordable, 4));
    capacity_ = n_slots * row_length;
    memory_ = aligned<Real>(capacity_);
    make_slots(n_slots);
  }

  bool has_room_for_all() const { return n_slots_ == static_cast<int64_t>(slot_of_.size()); }

  bool has(int64_t row) const { return slot_of_[row] >= 0; }

  // The place of a row, and whether its values are yet to be computed.
  Real* find(int64_t row, bool& is_new) {
    int64_t slot = slot_of_[row];
    is_new = slot < 0;
    if (is_new) {
      slot = used_ < n_slots_ ? used_++ : free_oldest();
      take(slot, row);
      link(slot);
    } else if (slot != newest_) {
      unlink(slot);
      link(slot);
    }
    return memory_.get() + slot * row_length_;
  }

  // Continues with some of the rows and some of the columns, both in rising order.
  void keep(const std::vector<int64_t>& rows, const std::vector<int64_t>& columns,
            int64_t row_length) {
    std::vector<int64_t> number(slot_of_.size(), -1), by_age, place(n_slots_, -1);
    for (std::size_t r = 0; r < rows.size(); ++r) number[rows[r]] = static_cast<int64_t>(r);
    for (int64_t slot = oldest_; slot >= 0; slot = after_[slot]) by_age.push_back(slot);
    // Rows move towards the start of the memory, each only when those before it have moved.
    int64_t n_kept = 0;
    std::vector<int64_t> kept;
    for (int64_t slot = 0; slot < used_; ++slot) {
      if (number[row_in_[slot]] < 0) continue;
      gather(memory_.get() + slot * row_length_, columns, row_length,
             memory_.get() + n_kept * row_length);
      place[slot] = n_kept++;
      kept.push_back(number[row_in_[slot]]);
    }
    row_length_ = row_length;
    slot_of_.assign(rows.size(), -1);
    make_slots(std::min<int64_t>(rows.size(), capacity_ / std::max<int64_t>(1, row_length)));
    used_ = n_kept;
    for (const int64_t slot : by_age) {
      if (place[slot] < 0) continue;
      take(place[slot], kept[place[slot]]);
      link(place[slot]);
    }
  }

 private:
  void make_slots(int64_t n) {
    n_slots_ = n;
    row_in_.assign(n, -1);
    before_.assign(n, -1);
    after_.assign(n, -1);
    used_ = 0;
    oldest_ = newest_ = -1;
  }
  int64_t free_oldest() {
    const int64_t slot = oldest_;
    slot_of_[row_in_[slot]] = -1;
    unlink(slot);
    return slot;
  }
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

  int64_t row_length_, capacity_, n_slots_ = 0, used_ = 0, oldest_ = -1, newest_ = -1;
  Aligned<Real> memory_;
  std::vector<int64_t> slot_of_, row_in_, before_, after_;
};

}  // namespace dcsvm
