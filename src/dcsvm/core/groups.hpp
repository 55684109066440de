// Rows grouped by the machine they wait for.
#pragma once

#include <cstdint>
#include <vector>

namespace dcsvm {

// Rows that wait at a machine, as chains: one pass over the rows, no sorting.
class Groups {
 public:
  explicit Groups(std::int64_t n_machines) : head_(n_machines, -1) {}

  template <class Machine>
  void gather(const std::vector<std::int32_t>& rows, Machine machine_of) {
    waiting_.clear();
    next_.resize(rows.size());
    for (std::size_t t = rows.size(); t-- > 0;) {
      const std::int32_t machine = machine_of(rows[t]);
      if (head_[machine] < 0) waiting_.push_back(machine);
      next_[t] = head_[machine];
      head_[machine] = static_cast<std::int32_t>(t);
    }
  }

  // Calls visit(machine, rows of its group) for every machine that rows wait at.
  template <class Visit>
  void each(const std::vector<std::int32_t>& rows, Visit visit) {
    for (const std::int32_t machine : waiting_) {
      members_.clear();
      for (std::int32_t t = head_[machine]; t >= 0; t = next_[t]) members_.push_back(rows[t]);
      head_[machine] = -1;
      visit(machine, members_);
    }
  }

 private:
  std::vector<std::int32_t> head_, next_, waiting_, members_;
};

}  // namespace dcsvm
