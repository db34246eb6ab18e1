// MPI_Type_commit and MPI_Type_free of types that live briefly: programs make them in loops. And MPI_Type_commit of a
// type that is committed already, as libraries do before each use: the host has nothing to do. So few instructions may
// stand in front of both.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "callsites/python_place.h"
#include "communicators/sent_messages.h"
#include "host/handles.h"
#include "messages/message_engine.h"
#include "types/type_book.h"
#include "wrappers/entry/host_call.h"

namespace marshal::action {

// Types of places that are new, that gained something, or beside which threads or unusual types are.
[[gnu::noinline]] inline Quickly commit_apart(std::uint64_t key, const void* place) noexcept {
  UnreadType& unread = books::unread_place_of(key);
  const std::uint8_t site = number_of_place(place);
  if (site_histories[site].is_new() || !messages::may_skip_commit(site)) return Quickly::unanswered;
  books::note_later_commit(unread, key, site);
  if (objects_are_shared) [[unlikely]]
    books::count_type(name_of(Call::Type_commit), place, key);
  return Quickly::passed_on;
}

MARSHAL_ALWAYS_INLINE inline Quickly quick_type_commit(MPI_Datatype* type, const void* caller) noexcept {
  if (type == nullptr) return Quickly::unanswered;
  const std::uint64_t key = key_of(*type);
  UnreadType& unread = books::unread_place_of(key);
  if (unread.is_of(key)) return Quickly::passed_on;  // committed before, and nobody freed it since
  const void* const place = place_of_call(caller);
  const auto site = static_cast<std::uint8_t>(home_of_place(place));
  if (!site_histories[site].is_of(place) || objects_are_shared || !messages::may_skip_commit(site) ||
      !books::note_brief_commit(unread, key, site))
    return commit_apart(key, place);
  return Quickly::passed_on;
}

[[gnu::noinline]] inline Quickly free_apart(std::uint64_t key) noexcept {
  if (!books::forget_later_commit(key)) return Quickly::unanswered;
  books::forget_traffic_type(key);
  return Quickly::passed_on_inside;
}

MARSHAL_ALWAYS_INLINE inline Quickly quick_type_free(MPI_Datatype* type) noexcept {
  if (type == nullptr) return Quickly::unanswered;
  const std::uint64_t key = key_of(*type);
  if (!books::forget_brief_commit(key)) return free_apart(key);
  return Quickly::passed_on_inside;  // attributes have delete functions
}

}  // namespace marshal::action
