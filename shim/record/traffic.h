// Messages that the processes sent, counted, and what they mean for the nodes. Sums over processes; bytes are those of
// the messages' data. "In force" is the order of the processes in this run, "given" the order that the launcher made.
// Numbers for the order given say what the same messages would have been if no process had been moved. They assume that
// a process sends by its cell, on any node.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/fields.h"

namespace marshal::report {

struct PlacedBytes {
  std::uint64_t in_force = 0, given = 0;
  MARSHAL_FIELDS(in_force, given);
  void merge(const PlacedBytes& other) { merge_fields(*this, other); }
  auto operator<=>(const PlacedBytes&) const = default;
};

// By node: bytes that its processes sent to other nodes.
using BytesOfNodes = std::map<std::uint64_t, PlacedBytes>;

// The bytes that the busiest node sends to others, in each order.
PlacedBytes busiest(const BytesOfNodes& leaving);

// The heat map has at most so many rows; on more nodes, each stands for a block of them.
inline constexpr std::uint64_t most_heat_rows = 256;

struct CallsAndBytes {
  std::uint64_t calls = 0, bytes = 0;
  MARSHAL_FIELDS(calls, bytes);
  void merge(const CallsAndBytes& other) { merge_fields(*this, other); }
  auto operator<=>(const CallsAndBytes&) const = default;
};

// A collective call: how often processes made or started it, and the bytes of their parts of it, which are not among
// the messages.
struct CollectiveCount {
  // Kinds of calls: processes of the communicator, and a power of two at least as large as the process's part in bytes.
  using Kind = std::pair<std::uint64_t, std::uint64_t>;
  // At most this many kinds are kept apart: the kinds of the fewest processes. The others are in the sums only.
  static constexpr std::size_t most_kinds = 64;

  CallsAndBytes all{};
  std::map<Kind, CallsAndBytes> kinds{};

  MARSHAL_NAMED_FIELDS("calls, bytes, kinds", all.calls, all.bytes, kinds);
  // Without a kind: 0 processes.
  void add(const Kind& kind, const CallsAndBytes& more);
  void merge(const CollectiveCount& other);
  auto operator<=>(const CollectiveCount&) const = default;

 private:
  void keep_least();
};

struct Traffic {
  std::uint64_t processes = 0;  // that counted; 0: MARSHAL_TRAFFIC=off
  std::uint64_t messages = 0, bytes = 0;
  PlacedBytes between_nodes{};
  BytesOfNodes leaving{};
  std::uint64_t foreign_messages = 0, foreign_bytes = 0;  // to processes of other jobs; not among the above
  std::uint64_t lost_messages = 0;                        // not counted, for want of memory
  // Where the MPI library is not to be asked: messages to processes that are not known, not among the above; and
  // messages and parts of collective calls whose bytes are not known, which count as none above.
  std::uint64_t unknown_messages = 0, unknown_bytes = 0, unsized = 0;
  // Messages of derived datatypes, contiguous ones among them, to processes of this job and of others.
  std::uint64_t derived_messages = 0, derived_bytes = 0;
  std::map<std::string, CollectiveCount> collectives{};  // by the name of the call
  std::string file{};                                    // of process pairs; empty: none was written
  std::string kept{};                                    // the same for `marshal launch`; empty: it is not kept
  // 1 if another order of the ranks was tried at the end of the run, and the bytes between nodes in the best one: a
  // prediction, for the same messages.
  std::uint64_t tried_orders = 0, tried_order_bytes = 0;
  std::string profile{};                                                  // that learned from this run; empty: none
  std::uint64_t nodes_a_row = 1;                                          // of the heat map
  std::map<std::pair<std::uint64_t, std::uint64_t>, PlacedBytes> heat{};  // (row of sender, row of receiver)

  MARSHAL_NAMED_FIELDS(
      "processes, messages, bytes, between_nodes_bytes, leaving_nodes, foreign_messages, foreign_bytes, lost_messages, "
      "unknown_messages, unknown_bytes, unsized, derived_messages, derived_bytes, collectives, file, kept, "
      "tried_orders, tried_order_bytes, profile, nodes_a_row, heat",
      processes, messages, bytes, between_nodes, leaving, foreign_messages, foreign_bytes, lost_messages,
      unknown_messages, unknown_bytes, unsized, derived_messages, derived_bytes, collectives, file, kept, tried_orders,
      tried_order_bytes, profile, nodes_a_row, heat);
  void merge(const Traffic& other);
  auto operator<=>(const Traffic&) const = default;
};

// The calls by the processes of their communicators, most bytes first. 0 processes: of kinds that are not kept apart.
struct CollectiveRow {
  std::string call;
  std::uint64_t processes;
  CallsAndBytes all;
  std::uint64_t least_bytes, most_bytes;  // powers of two at least as large as the smallest and the largest part
};
std::vector<CollectiveRow> collective_rows(const Traffic& traffic);

// Bytes of collectives on communicators of two and more of the job's processes, but not of all. Which pairs of
// processes they go between is the MPI library's choice.
std::uint64_t bytes_in_parts(const Traffic& traffic, std::uint64_t job_processes);

// "MPI_Allreduce on 4 processes 1200 calls, 9.38 KiB; MPI_Bcast …", most bytes first; empty: none was made.
std::string collectives_text(const Traffic& traffic);

// How far a displacement may reach in each dimension to be kept for certain; farther ones only while there is room.
inline constexpr std::size_t most_near = 125, most_far = 131;

// The messages along one displacement.
struct SentAlong {
  std::uint64_t processes = 0;  // that sent along it
  std::uint64_t bytes = 0;
  MARSHAL_FIELDS(processes, bytes);
  void merge(const SentAlong& other) { merge_fields(*this, other); }
  auto operator<=>(const SentAlong&) const = default;
};

// The traffic of grids with one key: what their processes sent to each other, on communicators that are the grid or
// were made from it. Where a program makes one grid only and keeps it, messages on communicators of no grid count, too.
struct GridTraffic {
  std::uint64_t processes = 0;
  std::uint64_t messages = 0, bytes = 0;
  PlacedBytes between_nodes{};
  std::map<std::string, PlacedBytes> above{};  // by the name of a level above the nodes: bytes that cross it
  BytesOfNodes leaving{};
  // By displacement between the cells, as "0,-1,2"; in periodic dimensions the short way.
  std::map<std::string, SentAlong> near{}, far{};
  std::uint64_t elsewhere = 0;  // bytes of the displacements that there is no room for

  MARSHAL_NAMED_FIELDS("processes, messages, bytes, between_nodes_bytes, above, leaving_nodes, near, far, elsewhere",
                       processes, messages, bytes, between_nodes, above, leaving, near, far, elsewhere);
  void merge(const GridTraffic& other);
  // Adds to the table that a displacement belongs to.
  void add(const std::string& displacement, bool is_near, const SentAlong& more);
  auto operator<=>(const GridTraffic&) const = default;

 private:
  void keep_least();
};

// Counts of what the program read from files and wrote to them, and of what the engine packed first. The room `files`
// counts in this struct itself.

// Buffers with gaps, in pieces.
struct GappedAccesses {
  std::uint64_t calls = 0, bytes = 0, pieces = 0;
  MARSHAL_FIELDS(calls, bytes, pieces);
  void merge(const GappedAccesses& other) { merge_fields(*this, other); }
  auto operator<=>(const GappedAccesses&) const = default;
};

// Sums over the processes.
struct Files {
  std::uint64_t opened = 0;              // a file that several processes open together counts for each
  CallsAndBytes written, read;           // as the program asked
  GappedAccesses packed, left;           // left: with MARSHAL_FILES=off, or without the memory for copies
  std::uint64_t predicted_saved_ns = 0;  // by packing
  MARSHAL_FIELDS(opened, written, read, packed, left, predicted_saved_ns);
  void merge(const Files& other) { merge_fields(*this, other); }
  auto operator<=>(const Files&) const = default;
};

}  // namespace marshal::report
