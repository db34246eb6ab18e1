// Init, Finalize, sessions, Abort, and programs that end without them.
#include <algorithm>
#include <mutex>
#include <vector>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/launcher.h"
#include "base/message.h"
#include "communicators/collectives_made.h"
#include "communicators/sent_messages.h"
#include "findings/findings.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/presence.h"
#include "host/surroundings.h"
#include "job/job.h"
#include "job/watch_meeting.h"
#include "messages/mpich/packed_broadcasts.h"
#include "messages/mpich/ucx_endpoints.h"
#include "record/units.h"
#include "reordering/run_key.h"
#include "settings/settings_in_force.h"
#include "watch/looker.h"
#include "wrappers/actions/short_lived_grids.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/call_times.h"
#include "wrappers/entry/program_requests.h"

namespace marshal {
namespace {

// Requests of nonblocking calls. Where each was made, and how many were alive at once, nobody counts.
void put_requests_into(report::Record& record, const CallTotals& totals) {
  std::uint64_t made = 0;
  for (std::size_t i = 0; i < call_count; ++i)
    if (calls_that_make_requests[i]) made += totals.of[i];
  if (made == 0) return;
  made -= std::min(made, totals[Tally::requests_not_made]);
  report::ObjectSite& row = record.objects[report::CallSite{report::nonblocking_calls, {}}];
  row.made.add(made);
  const std::uint64_t not_seen_to_end = made - std::min(made, totals[Tally::requests_ended]);
  const double handles = handles_of_requests.count(), many = report::real(report::many_of(report::nonblocking_calls));
  if (report::real(not_seen_to_end) < std::max(many, 1.1 * handles))
    row.alive.add(not_seen_to_end);
  else if (handles >= many)
    row.alive.add(static_cast<std::uint64_t>(handles));  // at most: the others' handles came again
}

void add_call_counts(report::Record& record, bool are_calls_over) {
  static constexpr const char* binding_names[binding_count] = {"C", "Fortran mpif.h", "Fortran mpi_f08",
                                                               "Fortran mpi_f08"};
  const CallTotals totals = total_counts();
  for (std::size_t i = 0; i < call_count; ++i)
    if (totals.of[i] != 0) record.calls[call_names[i]].add(totals.of[i]);
  if (is_watching_messages())
    for (const CollectivesMade& made : collectives_made())
      record.traffic.collectives[call_names[made.name.call]].add({made.name.processes, made.name.up_to_bytes},
                                                                 {made.calls, made.bytes});
  for (std::size_t i = 0; i < binding_count; ++i)
    if (totals.bindings[i] != 0) record.bindings.insert(binding_names[i]);
  put_requests_into(record, totals);
  put_times_into(record);
  if (are_calls_over) put_arrivals_into(record);
  record.own.translations.add(totals[Tally::ranks_translated]);
  warn_of_short_lived_grids(record);
}

void write_what_is_left() {
  watch::leave_looking();
  if (is_aside() || settings().disable) return;
  if (job::begun()) return job::end_alone();
  char why[512];
  if (!settings().asks_host || finds_by_itself()) return;
  if (!job::ever_begun() && mpi_began_unseen(why, sizeof why) && first_of_job())
    say(Level::warning, "MPI ran, and Marshal did not see it begin, so it did nothing: {}", why);
}

// The program may end by exit() or return from main without MPI_Finalize. Not after MPI_Abort, where no destructor
// runs. After the program's own functions for that, however late this library came. The memory may be full.
[[gnu::destructor]] void at_exit() { attempt_to_the_end(write_what_is_left); }

}  // namespace

namespace action {
namespace {

int begin_host(HostCall& host) {
  const endpoints::MadeByHost made(endpoints::MadeByHost::When::in_init);
  return host();
}

}  // namespace

int init(HostCall& host) {
  const Ticks entered = ticks_now();
  HostCall::own(job::start_clock);
  const int code = begin_host(host);
  if (code == MPI_SUCCESS) HostCall::own([] { job::begin(add_call_counts); });
  if (job::begun()) begin_times(host.call, entered);
  if (code == MPI_SUCCESS) HostCall::own([] { job::begin_watching({call_names, watched_parts}); });
  return code;
}

int finalize(HostCall& host) {
  HostCall::own(run_clock::end);
  HostCall::own(job::end);
  broadcasts::end();
  const int code = host();
  watch::end_looking();
  return code;
}

int abort(HostCall& host) {
  keep_moved_run_note();
  HostCall::own(run_clock::end);
  HostCall::own(job::end_alone);
  watch::leave_looking();
  return host();
}

namespace {

// The program may end a session that is none: the host refuses that, and it must not end the job.
struct OpenSessions {
  std::mutex mutex;
  std::vector<MPI_Session> all;

  void add(MPI_Session session) {
    const std::lock_guard lock(mutex);
    all.push_back(session);
  }
  // True if it was one of them.
  bool remove(MPI_Session session, bool& was_last) {
    const std::lock_guard lock(mutex);
    const auto place = std::ranges::find(all, session);
    if (place == all.end()) return false;
    all.erase(place);
    was_last = all.empty();
    return true;
  }
};

OpenSessions& open_sessions() {
  static Immortal<OpenSessions> the;
  return *the;
}

// All processes of the job as the session names them; local.
bool world_of(MPI_Session session, MPI_Group& world) {
  const auto from_pset = pmpi().Group_from_session_pset;
  return from_pset != nullptr && from_pset(session, "mpi://WORLD", &world) == MPI_SUCCESS;
}

}  // namespace

int session_init(HostCall& host, MPI_Session* session) {
  const Ticks entered = ticks_now();
  HostCall::own(job::start_clock);
  const int code = begin_host(host);
  if (code != MPI_SUCCESS) return code;
  HostCall::own([&] { open_sessions().add(*session); });
  MPI_Group world = predefined().group_null;
  HostCall::own([&] {
    if (!job::begun() && world_of(*session, world)) job::begin_session(world, add_call_counts);
  });
  if (job::begun()) begin_times(host.call, entered);
  return code;
}

int session_finalize(HostCall& host, MPI_Session* session) {
  bool was_last = false;
  if (session == nullptr || !open_sessions().remove(*session, was_last)) return host();
  const MPI_Session ended = *session;
  // With MPI_Init in the program too, the report waits for MPI_Finalize.
  int world_model = 0;
  pmpi().Initialized(&world_model);
  if (was_last && !world_model) {
    HostCall::own(run_clock::end);
    HostCall::own(job::end);
  }
  const int code = host();
  if (was_last && !world_model && code == MPI_SUCCESS) watch::end_looking();
  if (code != MPI_SUCCESS) HostCall::own([&] { open_sessions().add(ended); });
  return code;
}

}  // namespace action
}  // namespace marshal
