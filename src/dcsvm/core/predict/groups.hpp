// Rows grouped by the machine they wait for.
#pragma once

#include <vector>

#include "data/integers.hpp"

namespace dcsvm {

// Sorts by counting: the rows of a machine end up side by side, in the order they had.
class Groups {
 public:
  explicit Groups(int64_t n_machines) : count_(n_machines, 0) {}

  // Calls visit(machine, rows of its group, how many) for every machine that rows wait for.
  template <class Machine, class Visit>
  void each(const std::vector<int32_t>& rows, Machine machine_of, Visit visit) {
    machine_.resize(rows.size());
    waiting_.clear();
    for (std::size_t t = 0; t < rows.size(); ++t) {
      const int32_t machine = machine_[t] = machine_of(rows[t]);
      if (count_[machine]++ == 0) waiting_.push_back(machine);
    }
    int32_t end = 0;  // the counts become the places where groups begin
    for (const int32_t machine : waiting_) {
      end += count_[machine];
      count_[machine] = end - count_[machine];
    }
    grouped_.resize(rows.size());
    for (std::size_t t = 0; t < rows.size(); ++t) grouped_[count_[machine_[t]]++] = rows[t];
    int32_t begin = 0;  // and now where they end
    for (const int32_t machine : waiting_) {
      visit(machine, grouped_.data() + begin, static_cast<int64_t>(count_[machine] - begin));
      begin = count_[machine];
      count_[machine] = 0;
    }
  }

 private:
  std::vector<int32_t> count_, machine_, waiting_, grouped_;
};

}  // namespace dcsvm
