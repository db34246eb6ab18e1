// Derived datatypes by layout: equal canonical forms are one row, however the types were built.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/call_site.h"

namespace marshal::report {

struct LayoutKey {
  std::string form{};      // the canonical form as text: "64 x 8 B every 128 B"
  std::uint64_t hash = 0;  // of the full form; 0: the text is all

  MARSHAL_FIELDS(form, hash);
  auto operator<=>(const LayoutKey&) const = default;
};
// By the form's hash alone, if it has one: the text takes longer to make than to know that the layout gets no row.
std::uint64_t hash_of(const LayoutKey& key);

// 0: not timed.
inline double bytes_a_second(std::uint64_t bytes, std::uint64_t ns) {
  return ns == 0 ? 0 : static_cast<double>(bytes) * 1e9 / static_cast<double>(ns);
}

// One direction of copying.
struct PackWork {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;         // packed bytes
  std::uint64_t engine_bytes = 0;  // the part of them that Marshal's engine packed; the host packed the rest
  std::uint64_t timed_bytes = 0, timed_ns = 0;  // the timed part of the engine's work
  std::uint64_t touched_bytes = 0;              // cache lines touched times their size; in `others`, of some layouts
  std::uint64_t host_bytes = 0, host_ns = 0;    // the same work by the host, where it was measured

  MARSHAL_FIELDS(calls, bytes, engine_bytes, timed_bytes, timed_ns, touched_bytes, host_bytes, host_ns);
  void merge(const PackWork& other) { merge_fields(*this, other); }
  double rate() const { return bytes_a_second(timed_bytes, timed_ns); }
  double host_rate() const { return bytes_a_second(host_bytes, host_ns); }
  auto operator<=>(const PackWork&) const = default;
};

// Messages in one direction that the MPI library had to pack or to unpack in its own pipeline. They include the
// messages of collectives and one-sided communication.
struct MessageWork {
  std::uint64_t messages = 0, fragments = 0;
  std::uint64_t bytes = 0;                                  // packed bytes
  std::uint64_t engine_messages = 0, engine_fragments = 0;  // of these, what Marshal's engine did;
  std::uint64_t engine_bytes = 0;                           // the rest the host
  std::uint64_t timed_bytes = 0, timed_ns = 0;              // of what the engine did, as far as it was timed
  std::uint64_t host_bytes = 0, host_ns = 0;                // the same work by the host, where it was measured

  MARSHAL_FIELDS(messages, fragments, bytes, engine_messages, engine_fragments, engine_bytes, timed_bytes, timed_ns,
                 host_bytes, host_ns);
  void merge(const MessageWork& other) { merge_fields(*this, other); }
  double rate() const { return bytes_a_second(timed_bytes, timed_ns); }
  double host_rate() const { return bytes_a_second(host_bytes, host_ns); }
  auto operator<=>(const MessageWork&) const = default;
};

struct DatatypeLayout {
  std::uint64_t size = 0;  // packed bytes of one instance
  std::int64_t lower_bound = 0, extent = 0;
  std::uint64_t blocks = 0;  // contiguous pieces of one instance
  std::uint64_t commits = 0;
  std::map<std::string, std::uint64_t> plans{};  // kernel or engine -> calls
  std::uint64_t segment = 0;                     // instances; 0: not segmented
  PackWork pack{}, unpack{};
  MessageWork sent{}, received{};
  std::uint64_t touched_bound_bytes_per_s = 0;  // the most that touching these lines allows; 0: not measured
  std::vector<std::pair<std::int64_t, std::uint64_t>>
      picture{};         // (displacement, length), the first most_picture_blocks
  CallSite site{};       // of a first commit: of several, the least
  std::string symbol{};  // of that site

  MARSHAL_FIELDS(site, symbol, size, lower_bound, extent, blocks, commits, plans, segment, pack, unpack, sent, received,
                 touched_bound_bytes_per_s, picture);
  void merge(const DatatypeLayout& other);
  // False if merge() into `others` would never take over this layout's picture: then it needs no picture.
  bool may_be_shown_for(const DatatypeLayout& others) const;
  // The bound as estimated, or the fastest rate that was measured: if that is faster, the estimate was too low.
  void set_bound(double estimated_bytes_per_s);
  auto operator<=>(const DatatypeLayout&) const = default;
};
inline constexpr std::size_t most_picture_blocks = 64;

}  // namespace marshal::report
