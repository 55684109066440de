// The engine, once for each precision.
#include "predict/engine.hpp"

#include "predict/elimination.inc.hpp"
#include "predict/evaluation.inc.hpp"
#include "predict/vote.inc.hpp"

namespace dcsvm {

template class Engine<float>;
template class Engine<double>;

}  // namespace dcsvm
