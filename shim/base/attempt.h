// Runs work whose failure must not spread.
#pragma once

#include <cxxabi.h>

#include <utility>

namespace marshal {

// Runs `work`; false if it threw, for instance for lack of memory. If the thread is cancelled in it, the thread ends.
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
