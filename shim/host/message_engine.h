// Derived datatypes in messages: whether the engine moves their fragments inside the host's own pipeline, and how the
// types get there. Matching, requests, statuses, protocols and the ends of messages stay the host's.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "host/message_sites.h"
#include "host/type_book.h"
#include "host/whole_sends.h"

namespace marshal::messages {

// In MPI_Init, on the settings in force: tries the host out, and stays off where it is not as expected. Local.
void begin();
// All processes of the job have begun, and are on: messages may go in ways that the other side must know.
void begin_together();
// They go on without Marshal.
void end();

// Not from inside a callback, and constant from begin() on. Null where messages are on.
const char* why_off();
// Whether MARSHAL_MESSAGES=on asks for what cannot be had.
bool is_missed();

namespace detail {
// Which commits are looked at.
enum class Commits : unsigned char {
  none,
  worth_reading,          // of places whose types are worth reading; the others are skipped for good
  worth_reading_at_once,  // the same; the others can still be read in a message
  all
};
inline std::atomic<bool> on{false};
inline std::atomic<bool> reads_all_types{false};  // MARSHAL_MESSAGES=on
inline std::atomic<Commits> looked_at{Commits::none};
// Nobody is asked for a mean block of so many bytes in a message of fewer than so many.
inline std::atomic<std::int64_t> engine_up_to{0}, asked_from{0};
inline thread_local constinit unsigned packing_by_host [[gnu::tls_model("initial-exec")]] = 0;
inline thread_local constinit std::uint64_t passed_on_pack [[gnu::tls_model("initial-exec")]] = ~std::uint64_t{0};
}  // namespace detail

[[gnu::always_inline]] inline bool are_on() { return detail::on.load(std::memory_order_relaxed); }

// While it lives, what this thread's host packs is no message but the host's MPI_Pack or MPI_Unpack, and stays its own.
class PackingByHost {
 public:
  PackingByHost() { ++detail::packing_by_host; }
  ~PackingByHost() { --detail::packing_by_host; }
  PackingByHost(const PackingByHost&) = delete;
  PackingByHost& operator=(const PackingByHost&) = delete;
};

// The same where nothing of Marshal stands around the host's call: this thread's host packs the type next, and no
// message. Should that call fail, the type's next message stays the host's.
[[gnu::always_inline]] inline void note_passed_on_pack(std::uint64_t type_key) { detail::passed_on_pack = type_key; }
inline bool is_passed_on_pack(std::uint64_t type_key) {
  if (detail::passed_on_pack != type_key) return false;
  detail::passed_on_pack = ~std::uint64_t{0};
  return true;
}

// The program commits a type at `site` (message_sites.h). True if the type is to be read for its messages. Ask a second
// time for the same commit only if the answer was yes: a no counts as one type skipped.
inline bool is_worth_reading(std::size_t site) {
  if (detail::reads_all_types.load(std::memory_order_relaxed)) return true;
  return books::may_read_in_messages.load(std::memory_order_relaxed) ? message_sites.is_read_at_commit(site)
                                                                     : message_sites.is_worth_reading(site);
}

// Whether the coming commit, at `site`, needs no Commit around it.
[[gnu::always_inline]] inline bool may_skip_commit(std::size_t site) {
  using detail::Commits;
  const Commits looked_at = detail::looked_at.load(std::memory_order_relaxed);
  if (looked_at == Commits::worth_reading_at_once) [[likely]]
    return !message_sites.is_read_at_commit(site);
  return looked_at == Commits::none || (looked_at == Commits::worth_reading && !message_sites.is_worth_reading(site));
}

// Stands around the host's MPI_Type_commit or MPI_Type_dup.
class Commit {
 public:
  Commit();
  ~Commit();
  Commit(const Commit&) = delete;
  Commit& operator=(const Commit&) = delete;

  // The host has committed the type, at `caller` in the program: it is read if types of that place were worth it.
  void made(MPI_Datatype handle, const void* caller);

 private:
  const bool by_generic_types_;
  std::uint64_t generic_type_ = 0;  // UCX's number of the one that the host makes; 0: none
  std::uint64_t* before_ = nullptr;
};

// Reads a type that travels, as books::note_travel() asked for. On Open MPI null where it stays the host's; on MPICH
// `generic_type`, UCX's, is then bound to its layout if the engine is to move it. From inside the host's callbacks.
const Datatype* read_in_message(std::uint64_t key) noexcept;
void bind_in_message(std::uint64_t key, std::uint64_t generic_type) noexcept;

// Whether all its messages are the host's: its blocks are so long that the host is as fast.
bool is_left_to_host(const SharedLayout& layout);

// Who moves a message of so many bytes.
struct Choice {
  bool by_host, timed;
};
Choice choose_by_trial(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes);
inline Choice choose(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes) {
  if (layout.plan.mean_block() <= detail::engine_up_to.load(std::memory_order_relaxed) &&
      bytes < detail::asked_from.load(std::memory_order_relaxed)) [[likely]]
    return {false, false};
  return choose_by_trial(layout, account, bytes);
}

}  // namespace marshal::messages
