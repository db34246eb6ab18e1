// Chooses one of two values independently of their order.
#pragma once

#include <string>

namespace marshal::report {

// The filled-in one; of two, the first in lexicographic order.
inline const std::string& preferred(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return b < a ? b : a;
}

}  // namespace marshal::report
