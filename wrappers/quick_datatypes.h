// MPI_Type_commit and MPI_Type_free of types that live briefly: programs make them in loops. And MPI_Type_commit of a
// type that is committed already, as libraries do before each use: the host has nothing to do. So few instructions may
// stand in front of both.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "host/handles.h"
#include "host/message_engine.h"
#include "host/type_book.h"
#include "wrappers/host_call.h"

namespace marshal::action {

// The key of the type that this thread committed last.
inline thread_local constinit std::uint64_t last_committed [[gnu::tls_model("initial-exec")]] = ~std::uint64_t{0};

// Whether this thread committed it last, and nobody freed it since.
inline bool is_last_committed(MPI_Datatype type) {
  return key_of(type) == last_committed && books::unread_types.find(last_committed) != nullptr;
}

[[gnu::always_inline]] inline Quickly quick_type_commit(MPI_Datatype* type, const void* caller) noexcept {
  if (type == nullptr) return Quickly::unanswered;
  if (is_last_committed(*type)) return Quickly::passed_on;
  const std::size_t site = MessageSites::number_of(caller);
  if (books::commit_count.is_next_among_first() || !messages::may_skip_commit(site)) return Quickly::unanswered;
  books::note_later_commit(*type, site);
  last_committed = key_of(*type);
  return Quickly::passed_on;
}

[[gnu::always_inline]] inline Quickly quick_type_free(MPI_Datatype* type) noexcept {
  return type != nullptr && books::forget_unread_type(*type) ? Quickly::passed_on : Quickly::unanswered;
}

}  // namespace marshal::action
