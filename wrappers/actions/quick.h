// Calls that the entry points answer, or pass on, before the ordinary path: they cost little else. All other cases take
// that path (packing.cc, groups.cc, requests.cc).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "base/always_inline.h"
#include "callsites/python_place.h"
#include "communicators/communicators.h"
#include "communicators/groups.h"
#include "communicators/persistent_requests.h"
#include "communicators/sent_messages.h"
#include "copies/extended_requests.h"
#include "counters/event_counts.h"
#include "host/handles.h"
#include "host/host_family.h"
#include "messages/message_engine.h"
#include "types/packing_engine.h"
#include "types/type_book.h"
#include "wrappers/entry/host_call.h"
#include "wrappers/entry/kept_blocks.h"
#include "wrappers/entry/program_requests.h"

namespace marshal::action {

// MPI_Pack and MPI_Unpack of a type that this thread packed last, or that is left to the host.
template <class Size>
struct Packing {
  void* user;
  MPI_Count count;
  MPI_Datatype type;
  void* packed;
  MPI_Count packed_size;
  Size* position;
  MPI_Comm comm;
};

// True if the arguments are usable: if not, the host refuses them or has nothing to do.
template <class Size>
inline bool is_in_order(const Packing<Size>& p) {
  return p.packed != nullptr && p.position != nullptr && p.count > 0;
}

// A job for the engine.
struct PackJob {
  std::byte* user;
  std::byte* packed;
  std::int64_t count, bytes;
  std::int64_t reach;  // from the first instance to the last
};

// True if the engine can take it, judged by the numbers; fills `job` except the user's origin.
template <class Size>
MARSHAL_ALWAYS_INLINE inline bool fits(const Packing<Size>& p, std::int64_t size, std::int64_t extent, PackJob& job) {
  job.count = p.count;
  const std::int64_t position = *p.position;
  if (__builtin_mul_overflow(job.count, size, &job.bytes)) return false;
  if (position < 0 || job.bytes > p.packed_size - position) return false;
  if (__builtin_mul_overflow(job.count - 1, extent, &job.reach)) return false;
  job.packed = static_cast<std::byte*>(p.packed) + position;
  return true;
}

// The first one finds cold caches.
inline bool is_second_of_watched(const Datatype& type, const PackCalls& done) {
  return type.is_watched && done.calls == 1;
}

// The bytes go to the first program's account; false where that is used up.
inline bool may_use_first(const Datatype& type, bool unpack, std::int64_t bytes) {
  if ((type.left_to_first += -bytes) <= 0) return false;
  type.without_layout[unpack ? 1 : 0].add_call(bytes);
  return true;
}

template <bool unpack>
inline void run(const datatype::Program& program, const PackJob& job) {
  if constexpr (unpack)
    run_unpack(program, job.count, job.user, job.packed);
  else
    run_pack(program, job.count, job.user, job.packed);
}

// Every `sampled`-th call of either side is inspected, and the engine's timed for the report; so is every call that
// takes much longer than reading the clock.
inline constexpr std::uint64_t sampled = 64;
inline constexpr std::int64_t always_timed = 1024 * 1024;

inline bool is_sampled(const PackCalls& done, std::int64_t bytes) {
  return bytes >= always_timed || done.calls % sampled == 0;
}

template <bool unpack>
MARSHAL_ALWAYS_INLINE inline void count_job(std::int64_t bytes) {
  count(unpack ? Tally::unpacks : Tally::packs);
  count(unpack ? Tally::unpacked_bytes : Tally::packed_bytes, static_cast<std::uint64_t>(bytes));
}

// A pack or an unpack of a type that is not read, which the host does: programs make, pack a few times and free types
// in loops. The host's own position tells how many bytes it moved.
template <bool unpack, class Size>
struct PassedOn {
  void ended(int code) const noexcept {
    if (code != MPI_SUCCESS) return;
    books::packed_unread[unpack ? 1 : 0].add_call(*position - from);
    type->packed += *position - from;
  }

  UnreadType* type;
  const Size* position;
  Size from;
};
using Ending_pack = PassedOn<false, int>;
using Ending_unpack = PassedOn<true, int>;
using Ending_pack_c = PassedOn<false, MPI_Count>;
using Ending_unpack_c = PassedOn<true, MPI_Count>;

template <bool unpack, class Size>
MARSHAL_ALWAYS_INLINE inline Quickly leave_to_host(const Packing<Size>& p, PassedOn<unpack, Size>& end) noexcept {
  UnreadType* const type = books::find_unread(key_of(p.type));
  if (type == nullptr || !type->may_pass_on()) return Quickly::unanswered;
  end = {type, p.position, *p.position};
  if (is_open_mpi()) note_passed_on_pack(key_of(p.type));
  return Quickly::passed_on_and_told;
}

// Runs the type's first program; false, and nothing is done, where that is used up.
template <bool unpack, class Size>
MARSHAL_ALWAYS_INLINE inline bool run_first(const Packing<Size>& p, const Datatype& type, const PackJob& job) {
  if (!may_use_first(type, unpack, job.bytes)) return false;
  count_job<unpack>(job.bytes);
  run<unpack>(type.first->program, job);
  *p.position = static_cast<Size>(*p.position + job.bytes);
  return true;
}

template <bool unpack, class Size>
MARSHAL_ALWAYS_INLINE inline Quickly pack_by_first(const Packing<Size>& p, const Datatype& type) noexcept {
  const datatype::Program& program = type.first->program;
  PackJob job;
  if (!fits(p, program.size, program.extent, job) || books::find(p.comm) == nullptr ||
      is_second_of_watched(type, type.without_layout[unpack ? 1 : 0]))
    return Quickly::unanswered;
  job.user = static_cast<std::byte*>(p.user);
  return run_first<unpack>(p, type, job) ? Quickly::answered : Quickly::unanswered;
}

// The type is the thread's last one, its program is known, and so is the faster side: only checking the arguments,
// counting and running remain. Small packs cost little else, so every instruction here counts.
template <bool unpack, class Size>
MARSHAL_ALWAYS_INLINE inline Quickly pack_quickly(const Packing<Size>& p, PassedOn<unpack, Size>& end) noexcept {
  if (p.user == nullptr || !is_in_order(p)) return Quickly::unanswered;
  const Datatype* type = books::last_found_type(p.type);
  if (type == nullptr) return leave_to_host(p, end);
  const SharedLayout* const layout = type->layout.get();
  if (layout == nullptr) [[unlikely]]
    return type->first != nullptr ? pack_by_first<unpack>(p, *type) : Quickly::unanswered;
  PackJob job;
  if (!fits(p, layout->plan.size(), layout->plan.extent(), job)) return Quickly::unanswered;
  const datatype::Program* const program = layout->plan.settled_program(job.count);
  if (program == nullptr) return Quickly::unanswered;
  PackAccount& account = layout->account(unpack);
  using Side = HostTrial::Side;
  const Side side = layout->side(Way::packs, unpack, job.bytes);
  if (side == Side::undecided) return Quickly::unanswered;
  PackCalls& done = side == Side::engine ? account.by_engine : account.by_host;
  // The ordinary way tells packs by the host apart from messages.
  if (side == Side::host && messages::are_on()) return Quickly::unanswered;
  if (is_sampled(done, job.bytes) || counters::is_counting() || books::find(p.comm) == nullptr)
    return Quickly::unanswered;
  count_job<unpack>(job.bytes);
  done.add_call(job.bytes);
  if (side == Side::host) return Quickly::passed_on;
  job.user = static_cast<std::byte*>(p.user);
  run<unpack>(*program, job);
  *p.position = static_cast<Size>(*p.position + job.bytes);
  return Quickly::answered;
}

// Only for a type that the engine packs: for others only the host knows the size.
template <class Size>
MARSHAL_ALWAYS_INLINE inline Quickly tell_size(const Datatype* type, Size count, MPI_Comm comm, Size* size) noexcept {
  if (type == nullptr || type->layout == nullptr || size == nullptr || count < 0) return Quickly::unanswered;
  Size bytes;
  if (__builtin_mul_overflow(count, type->layout->plan.size(), &bytes) || books::find(comm) == nullptr)
    return Quickly::unanswered;
  *size = bytes;
  return Quickly::answered;
}

template <class Size>
MARSHAL_ALWAYS_INLINE inline Quickly quick_pack_size(Size incount, MPI_Datatype type, MPI_Comm comm,
                                                     Size* size) noexcept {
  const Quickly told = tell_size(books::find_type(key_of(type)).read, incount, comm, size);
  return told == Quickly::answered ? told : Quickly::passed_on;
}

template <class Size>
MARSHAL_ALWAYS_INLINE inline Quickly quick_pack(void* inbuf, Size incount, MPI_Datatype type, void* outbuf,
                                                Size outsize, Size* position, MPI_Comm comm,
                                                PassedOn<false, Size>& end) noexcept {
  return pack_quickly<false, Size>({inbuf, incount, type, outbuf, outsize, position, comm}, end);
}

template <class Size>
MARSHAL_ALWAYS_INLINE inline Quickly quick_unpack(void* inbuf, Size insize, Size* position, void* outbuf, Size outcount,
                                                  MPI_Datatype type, MPI_Comm comm,
                                                  PassedOn<true, Size>& end) noexcept {
  return pack_quickly<true, Size>({outbuf, outcount, type, inbuf, insize, position, comm}, end);
}

// MPI_Type_commit and MPI_Type_free of types that live briefly: programs make them in loops. And MPI_Type_commit of a
// type that is committed already, as libraries do before each use: the host has nothing to do. So few instructions may
// stand in front of both.

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

// Calls for groups that programs get, use and free again and again. Inlined into the entry points, since the calls take
// little longer than reaching an action.

// Only the first call for a communicator needs more than counting.
MARSHAL_ALWAYS_INLINE inline Quickly quick_comm_group(MPI_Comm comm, MPI_Group* group) noexcept {
  const Communicator* known = group == nullptr ? nullptr : books::find(comm);
  return known != nullptr && books::refer_to_group_of(*known) ? Quickly::passed_on : Quickly::unanswered;
}

MARSHAL_ALWAYS_INLINE inline Quickly quick_group_free(MPI_Group* group) noexcept {
  const bool counted = group == nullptr || books::release_one_of_several(*group);
  return counted ? Quickly::passed_on : Quickly::unanswered;
}

// True if the maps answered, faster than the host.
bool translate_from_maps(MPI_Group group1, int n, const int* ranks1, MPI_Group group2, int* ranks2) noexcept;

MARSHAL_ALWAYS_INLINE inline Quickly quick_group_translate_ranks(MPI_Group group1, int n, const int* ranks1,
                                                                 MPI_Group group2, int* ranks2) noexcept {
  return translate_from_maps(group1, n, ranks1, group2, ranks2) ? Quickly::answered : Quickly::passed_on;
}

// MPI_Request_free.
MARSHAL_ALWAYS_INLINE inline void note_freed_request(const MPI_Request* request) noexcept {
  if (request == nullptr || *request == null_request()) return;
  ExtendedRequest::leave(*request);
  if (any_kept_blocks) [[unlikely]]
    free_block_of(*request);
  if (!any_persistent_requests() || !forget_persistent_request(*request)) count(Tally::requests_ended);
}

MARSHAL_ALWAYS_INLINE inline Quickly quick_request_free(MPI_Request* request) noexcept {
  note_freed_request(request);
  return Quickly::passed_on_inside;  // generalized requests have free functions
}

}  // namespace marshal::action
