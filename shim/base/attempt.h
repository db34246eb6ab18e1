// Work whose failure must not go any further.
#pragma once

#include <cxxabi.h>

#include <utility>

namespace marshal {

// Runs `work`; false where it threw, for want of memory for instance. A thread that is cancelled in it goes on ending.
template <class Work>
bool attempt(Work&& work) {
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return false;
  }
}

}  // namespace marshal
