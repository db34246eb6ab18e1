#include "communicators/sent_messages.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "callsites/object_place.h"
#include "communicators/communicators.h"
#include "communicators/internal_communicators.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "settings/settings_in_force.h"
#include "types/type_reader.h"
#include "types/unread_types.h"

namespace marshal {

namespace {

constinit ThreadRecords<SentLately> sent_by_threads;
constinit std::atomic<std::uint64_t> lost{0}, unsized{0};

struct SizeOfType {
  std::uint64_t key, size;
};
// Of predefined types, by key; constant from MPI_Init on.
std::vector<SizeOfType>& learned_sizes() {
  static Immortal<std::vector<SizeOfType>> the;
  return *the;
}

// Where the host is not to be asked. Of a type that is not among them, one more message counts as unsized.
MessageSize learned_size(SentLately& thread, std::uint64_t key, MPI_Datatype handle) noexcept {
  const std::vector<SizeOfType>& sizes = learned_sizes();
  const auto found = std::ranges::lower_bound(sizes, key_of(handle), {}, &SizeOfType::key);
  if (found == sizes.end() || found->key != key_of(handle)) {
    note_unsized();
    return {0, false};
  }
  thread.types.home(key) = {key, SentLately::Type::for_ever, found->size};
  return {found->size, false};
}

template <class Visit>
void each_count(Visit visit) {
  sent_by_threads.each([&](const SentLately& thread) { thread.counts.each(visit); });
}

// Frees the group. A rank that it lacks was an error, of which MPICH lets an error handler make a success.
PeerName name_in_group(MPI_Group group, int rank) {
  int size = 0;
  pmpi().Group_size(group, &size);
  if (rank >= size) {
    pmpi().Group_free(&group);
    return foreign_peer;
  }
  const int in_job = rank_in_job(group, rank);
  return in_job != MPI_UNDEFINED ? in_job : foreign_peer;
}

PeerName name_of_process(const RankMap& map, std::int32_t rank) {
  const Process process = map.process(rank);
  return process.group == 0 ? process.lpid : foreign_peer;
}

PeerName name_by_asking(MPI_Comm communicator, std::int32_t rank) {
  if (communicator == predefined().comm_world) return rank;
  if (communicator == predefined().comm_null) return foreign_peer;
  if (!settings().asks_host) return unknown_peer;
  int inter = 0;
  MPI_Group group = predefined().group_null;
  if (pmpi().Comm_test_inter(communicator, &inter) != MPI_SUCCESS) return foreign_peer;
  const int code =
      inter != 0 ? pmpi().Comm_remote_group(communicator, &group) : pmpi().Comm_group(communicator, &group);
  return code == MPI_SUCCESS ? name_in_group(group, rank) : foreign_peer;
}

GridNumber grid_of_window(MPI_Win window) {
  const books::WindowOrFile* const known = books::find_window_or_file(window);
  return known != nullptr ? known->grid : GridNumber{0};
}

PeerName name_in_window(MPI_Win window, std::int32_t rank) {
  const RankMap* map = books::map_of_window_or_file(window);
  if (map != nullptr && map->tracked() && rank < map->size()) return name_of_process(*map, rank);
  if (window == predefined().win_null) return foreign_peer;
  if (!settings().asks_host) return unknown_peer;
  MPI_Group group = predefined().group_null;
  return pmpi().Win_get_group(window, &group) == MPI_SUCCESS ? name_in_group(group, rank) : foreign_peer;
}

// If there is no room to keep a process apart, it shares the count of its node.
PeerCount* count_of(SentLately& thread, PeerName name, GridNumber grid) {
  if (name < 0) grid = 0;
  if (PeerCount* count = thread.counts.of(name, grid)) return count;
  if (name < 0 || thread.counts.has_room()) return nullptr;
  return thread.counts.of(node_map().nodes() > 0 ? peer_on_node(node_map().node_of(name)) : foreign_peer);
}

void note_lost() { lost.fetch_add(1, std::memory_order_relaxed); }

template <HandleOf where_in, class Name, class Grid>
PeerCount* looked_up(SentLately& thread, PassedHandle<where_in> where, std::int32_t rank, Name name,
                     Grid grid) noexcept {
  const std::uint64_t departures = handle_departures.of(where.key).load(std::memory_order_acquire);
  PeerCount* count = nullptr;
  attempt([&] { count = count_of(thread, name(where.handle(), rank), grid(where.handle())); });
  if (count == nullptr)
    note_lost();
  else
    thread.peer(where.key, rank) = {where.key, departures, rank, count};
  return count;
}

}  // namespace

void watch_messages() { detail::watching.store(true, std::memory_order_relaxed); }

SentLately* new_sent_lately() noexcept {
  SentLately* const counts = sent_by_threads.take(sent_lately);
  if (counts == nullptr) note_lost();
  return counts;
}

PeerName peer_name(MPI_Comm communicator, std::int32_t rank) {
  const Communicator* known = books::known(communicator);
  if (known != nullptr) known->is_used = true;
  if (known != nullptr && known->addressed().tracked() && rank < known->addressed().size())
    return name_of_process(known->addressed(), rank);
  return name_by_asking(communicator, rank);
}

GridNumber grid_of(MPI_Comm communicator) {
  const Communicator* const known = books::find(communicator);
  return known != nullptr ? known->grid : GridNumber{0};
}

PeerCount* peer_at(SentLately& thread, PassedHandle<HandleOf::comm> communicator, std::int32_t rank) noexcept {
  return looked_up(thread, communicator, rank, peer_name, grid_of);
}

PeerCount* peer_at(SentLately& thread, PassedHandle<HandleOf::win> window, std::int32_t rank) noexcept {
  return looked_up(thread, window, rank, name_in_window, grid_of_window);
}

MessageSize type_size(SentLately& thread, PassedHandle<HandleOf::type> type) noexcept {
  std::uint64_t departures = traffic_types_departures.load(std::memory_order_acquire);
  const MPI_Datatype handle = type.handle();
  // Open MPI 4 takes a null type for the result of MPI_Get_accumulate.
  if (handle == predefined().type_null) return {0, false};
  // If the program committed the type, it counts as not predefined. This takes less time to find out than MPI's answer.
  // A predefined type that a program commits is only looked up more often.
  UnreadType& place = books::unread_place_of(key_of(handle));
  const bool is_committed = place.is_of(key_of(handle));
  const bool is_kept_there = is_committed && place.sizes_asked < 8 && !objects_are_shared;
  if (is_kept_there && place.sizes_asked != 0) {
    place.sizes_asked += 1;
    return {place.size, true};
  }
  if (!settings().asks_host) return learned_size(thread, type.key, handle);
  MPI_Count size = 0;
  if (pmpi().Type_size_x(handle, &size) != MPI_SUCCESS || size < 0) return {0, false};
  const auto bytes = static_cast<std::uint64_t>(size);
  if (is_kept_there) {
    place.size = bytes;
    place.sizes_asked = 1;
    return {bytes, true};
  }
  const bool is_derived = is_committed || !is_named(handle);
  if (!is_derived) departures = SentLately::Type::for_ever;
  thread.types.home(type.key) = {type.key, departures, bytes};
  if (is_derived) place.has_kept_sizes = true;
  return {bytes, is_derived};
}

void count_message(PeerName name, GridNumber grid, MessageSize size) noexcept {
  SentLately* const thread = sent_lately != nullptr ? sent_lately : new_sent_lately();
  if (thread == nullptr) return;
  if (size.is_derived) thread->derived.add(1, size.bytes);
  if (PeerCount* count = count_of(*thread, name, grid))
    count->add(1, size.bytes);
  else
    note_lost();
}

MessageSize size_of_message(std::int64_t count, MPI_Datatype type) noexcept {
  SentLately* const thread = sent_lately != nullptr ? sent_lately : new_sent_lately();
  if (thread == nullptr || count <= 0) return {0, false};
  return size_of_message(*thread, count, PassedHandle<HandleOf::type>::from_c(type));
}

std::uint64_t bytes_of(std::int64_t count, MPI_Datatype type) noexcept { return size_of_message(count, type).bytes; }

SentTo sent_to(PeerName name) {
  SentTo sent{name, 0, 0};
  each_count([&](const PeerCount& count) {
    if (count.name.load(std::memory_order_relaxed) != name) return;
    sent.messages += count.messages.load(std::memory_order_relaxed);
    sent.bytes += count.bytes.load(std::memory_order_relaxed);
  });
  return sent;
}

namespace {

bool is_before(const SentTo& a, const SentTo& b) { return std::tie(a.grid, a.name) < std::tie(b.grid, b.name); }

std::vector<SentTo> added_up(std::vector<SentTo> all) {
  std::sort(all.begin(), all.end(), is_before);
  std::vector<SentTo> sums;
  for (const SentTo& sent : all) {
    if (sums.empty() || is_before(sums.back(), sent)) sums.push_back({sent.name, 0, 0, sent.grid});
    sums.back().messages += sent.messages;
    sums.back().bytes += sent.bytes;
  }
  return sums;
}

SentTo sent_to_counted(const PeerCount& count) {
  return {count.name.load(std::memory_order_relaxed), count.messages.load(std::memory_order_relaxed),
          count.bytes.load(std::memory_order_relaxed), count.grid.load(std::memory_order_relaxed)};
}

}  // namespace

std::vector<SentTo> sent_in_grids() {
  std::vector<SentTo> all;
  each_count([&](const PeerCount& count) { all.push_back(sent_to_counted(count)); });
  return added_up(std::move(all));
}

std::vector<SentTo> sent_messages() {
  std::vector<SentTo> all = sent_in_grids();
  for (SentTo& sent : all) sent.grid = 0;
  return added_up(std::move(all));
}

SentTo sent_derived() {
  SentTo all{};
  sent_by_threads.each([&](const SentLately& thread) {
    const SentTo own = sent_to_counted(thread.derived);
    all.messages += own.messages;
    all.bytes += own.bytes;
  });
  return all;
}

void learn_type_sizes() {
  if (settings().asks_host) return;
  std::vector<SizeOfType>& sizes = learned_sizes();
  for (const MPI_Datatype type : predefined_datatypes()) {
    MPI_Count size = 0;
    if (pmpi().Type_size_x(type, &size) == MPI_SUCCESS && size >= 0)
      sizes.push_back({key_of(type), static_cast<std::uint64_t>(size)});
  }
  std::ranges::sort(sizes, {}, &SizeOfType::key);
}

void note_unsized() noexcept { unsized.fetch_add(1, std::memory_order_relaxed); }
std::uint64_t unsized_messages() { return unsized.load(std::memory_order_relaxed); }

std::uint64_t lost_messages() { return lost.load(std::memory_order_relaxed); }

}  // namespace marshal
