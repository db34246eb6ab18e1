// Measures packs that are done in fragments, as a host's pipeline packs a message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datatype/kernels.h"

namespace marshal::bench {

struct FragmentOptions {
  std::vector<std::int64_t> sizes, fragments;  // packed bytes of a layout; of a fragment
  std::string only;                            // a regular expression of group/name
  const datatype::Kernels* kernels;
  int rounds;
  double slice;  // seconds of a sample
  bool json;
};

// Packs and unpacks each layout whole and in fragments of each size, by turns, with the engine alone. Prints GB/s, and
// the shares of the whole pack's rate. False, with a line on stderr, if fragments gave other bytes.
bool print_fragment_rates(const FragmentOptions& options);

}  // namespace marshal::bench
