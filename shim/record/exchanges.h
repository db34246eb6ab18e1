// The exchanges of a run between nodes, a part of its record.
#pragma once

#include <compare>
#include <cstdint>

#include "record/fields.h"

namespace marshal::report {

// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw on communicators that were tried. Sums over processes: each counts
// its own calls, and what it sends to other nodes.
struct Exchanges {
  std::uint64_t calls = 0, by_nodes = 0;
  std::uint64_t fell_back = 0;                        // calls that began by nodes, and that the host made then
  std::uint64_t messages = 0, bytes = 0;              // of the calls by nodes
  std::uint64_t messages_apart = 0, bytes_apart = 0;  // of the same calls, if each block were a message
  // The time of calls by nodes whose sizes the host was timed with, too; and the host's for as many calls.
  std::uint64_t ns = 0, ns_by_host = 0;
  MARSHAL_FIELDS(calls, by_nodes, fell_back, messages, bytes, messages_apart, bytes_apart, ns, ns_by_host);
  void merge(const Exchanges& other) { merge_fields(*this, other); }
  auto operator<=>(const Exchanges&) const = default;
};

}  // namespace marshal::report
