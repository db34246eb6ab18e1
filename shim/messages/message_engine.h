// Derived datatypes in messages: whether the engine moves their fragments inside the host's own pipeline, and how the
// types get there. Matching, requests, statuses, protocols and the ends of messages stay the host's.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/relaxed.h"
#include "types/type_book.h"

namespace marshal::messages {

// True if the engine moves messages at all: from begin() to end().
[[gnu::always_inline]] inline bool are_on() { return messages_are_seen; }

// In MPI_Init, on the settings in force: tries the host out, and stays off where it is not as expected. Local.
void begin();
// All processes of the job have begun, and are on: messages may go in ways that the other side must know.
void begin_together();
// They go on without Marshal.
void end();

// Not from inside a callback, and constant from begin() on. Null where messages are on.
const char* why_off();
// True if MARSHAL_MESSAGES=on or pipeline asks for an engine that cannot be had.
bool is_missed();
// True if processes may send bytes to receives of datatypes that stay the host's. MPICH over UCX needs the engine's
// functions for that (cut_receives.h); with MARSHAL_MESSAGES=calls they are there, and do nothing else.
bool may_go_by_calls();

namespace detail {
// Which commits are looked at.
enum class Commits : unsigned char {
  none,           // also where types can be read in their first message
  worth_reading,  // of places whose types are worth reading; the others stay the host's
  all             // MARSHAL_MESSAGES=on
};
inline Relaxed<Commits> looked_at;
}  // namespace detail

// True if the coming commit, at `site` (site_history.h), needs no Commit around it.
[[gnu::always_inline]] inline bool may_skip_commit(std::uint8_t site) {
  using detail::Commits;
  const Commits looked_at = detail::looked_at;
  return looked_at == Commits::none ||
         (looked_at == Commits::worth_reading && !site_histories[site].pays_in_messages());
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
