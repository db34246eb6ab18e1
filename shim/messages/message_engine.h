// Derived datatypes in messages: whether the engine moves their fragments inside the host's own pipeline, and how the
// types get there. Matching, requests, statuses, protocols and the ends of messages stay the host's.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "messages/choice.h"
#include "types/message_sites.h"
#include "types/type_book.h"

namespace marshal::messages {

// In MPI_Init, on the settings in force: tries the host out, and stays off where it is not as expected. Local.
void begin();
// All processes of the job have begun, and are on: messages may go in ways that the other side must know.
void begin_together();
// They go on without Marshal.
void end();

// Not from inside a callback, and constant from begin() on. Null where messages are on.
const char* why_off();
// True if MARSHAL_MESSAGES=on asks for an engine that cannot be had.
bool is_missed();

namespace detail {
// Which commits are looked at.
enum class Commits : unsigned char {
  none,
  worth_reading,          // of places whose types are worth reading; the others are skipped for good
  worth_reading_at_once,  // the same; the others can still be read in a message
  all
};
inline std::atomic<bool> reads_all_types{false};  // MARSHAL_MESSAGES=on
inline std::atomic<Commits> looked_at{Commits::none};
}  // namespace detail

// The program commits a type at `site` (message_sites.h). True if the type is to be read for its messages. Each `false`
// may use up one skip: ask again for the same commit only after a `true`.
inline bool is_worth_reading(std::size_t site) {
  if (detail::reads_all_types.load(std::memory_order_relaxed)) return true;
  return books::may_read_in_messages.load(std::memory_order_relaxed) ? message_sites.is_read_at_commit(site)
                                                                     : message_sites.is_worth_reading(site);
}

// True if the coming commit, at `site`, needs no Commit around it.
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

}  // namespace marshal::messages
