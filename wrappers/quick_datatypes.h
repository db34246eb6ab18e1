// MPI_Type_commit and MPI_Type_free of types that live briefly: programs make them in loops. And MPI_Type_commit of a
// type that is committed already, as libraries do before each use: the host has nothing to do. So few instructions may
// stand in front of both.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "host/handles.h"
#include "host/message_engine.h"
#include "host/sent_messages.h"
#include "host/type_book.h"
#include "wrappers/host_call.h"

namespace marshal::action {

// The type that this thread committed last, until any type is freed.
class LastCommitted {
 public:
  bool is(MPI_Datatype type) const { return key_of(type) == key_ && freed() == freed_; }
  void note(MPI_Datatype type) {
    key_ = key_of(type);
    freed_ = freed();
  }

 private:
  static std::uint64_t freed() { return traffic_types_departures.load(std::memory_order_acquire); }
  std::uint64_t key_ = ~std::uint64_t{0}, freed_ = 0;
};
inline thread_local constinit LastCommitted last_committed [[gnu::tls_model("initial-exec")]];

[[gnu::always_inline]] inline Quickly quick_type_commit(MPI_Datatype* type, const void* caller) noexcept {
  if (type == nullptr) return Quickly::unanswered;
  if (last_committed.is(*type)) return Quickly::passed_on;
  if (books::commit_count.is_next_among_first() || !messages::may_skip_commit(caller)) return Quickly::unanswered;
  books::note_later_commit(*type, caller);
  last_committed.note(*type);
  return Quickly::passed_on;
}

[[gnu::always_inline]] inline Quickly quick_type_free(MPI_Datatype* type) noexcept {
  return type != nullptr && books::forget_unread_type(*type) ? Quickly::passed_on : Quickly::unanswered;
}

}  // namespace marshal::action
