// Bytes in a process, and the part of them that grows with the number of ranks.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>

#include "report/spread.h"

namespace marshal::report {

struct Memory {
  Spread per_process{};         // bytes; a sample a process
  std::uint64_t growing = 0;    // of the sum, the bytes that are proportional to the number of ranks of the job
  std::uint64_t at_most = 0;    // samples that may hold bytes of the host's own buffers, too
  std::string unavailable{};    // why there is no sample: "malloc is replaced by the program"; empty otherwise
  std::string not_projected{};  // why other numbers of ranks cannot be projected; empty otherwise

  // One process's bytes.
  void add(std::uint64_t bytes, std::uint64_t growing_bytes) {
    per_process.add(bytes);
    growing += growing_bytes;
  }
  void merge(const Memory& other) {
    per_process.merge(other.per_process);
    growing += other.growing;
    at_most += other.at_most;
    unavailable = std::max(unavailable, other.unavailable);
    not_projected = std::max(not_projected, other.not_projected);
  }
  bool available() const { return per_process.samples != 0; }
  bool can_be_projected() const { return available() && not_projected.empty(); }
  // The mean of a process if the job had `to` ranks in place of `from`.
  double projected(std::uint64_t from, std::uint64_t to) const {
    if (per_process.samples == 0 || from == 0) return 0;
    const double factor = static_cast<double>(to) / static_cast<double>(from), growth = static_cast<double>(growing);
    return (static_cast<double>(per_process.sum) - growth + growth * factor) / static_cast<double>(per_process.samples);
  }

  auto operator<=>(const Memory&) const = default;
};

}  // namespace marshal::report
