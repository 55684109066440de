// Runs on every processor of the target.
#include "simd/instruction_set.inc.hpp"

namespace dcsvm {

const InstructionSet* instruction_set_baseline() {
  static constexpr InstructionSet set = set_named("baseline");
  return &set;
}

}  // namespace dcsvm
