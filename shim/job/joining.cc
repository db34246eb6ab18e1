// The beginning of the run: all processes meet, and agree on what needs all of them.
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/attempt.h"
#include "base/cpu_time.h"
#include "base/immortal.h"
#include "base/launcher.h"
#include "base/message.h"
#include "calls/by_calls.h"
#include "callsites/object_place.h"
#include "callsites/python_place.h"
#include "communicators/communicators.h"
#include "communicators/communicators_in_use.h"
#include "communicators/map_sources.h"
#include "communicators/sent_messages.h"
#include "copies/extended_requests.h"
#include "copies/gapped_buffer.h"
#include "counters/event_counts.h"
#include "exchange/exchange.h"
#include "files/packed_access.h"
#include "host/arrival.h"
#include "host/gpu_devices.h"
#include "host/host_family.h"
#include "host/host_limit.h"
#include "host/joint_work.h"
#include "host/node_levels.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/presence.h"
#include "host/process_groups.h"
#include "job/job.h"
#include "job/launched_run.h"
#include "job/own_record.h"
#include "job/watch_meeting.h"
#include "messages/message_engine.h"
#include "messages/mpich/ucx_endpoints.h"
#include "reordering/kept_ranks.h"
#include "reordering/learned_grids.h"
#include "reordering/run_key.h"
#include "settings/settings_in_force.h"
#include "times/arrival_notes.h"
#include "times/tick_clock.h"

namespace marshal::job {

Run& run() {
  static Immortal<Run> the;
  return *the;
}

namespace {

using Clock = std::chrono::steady_clock;

// Adds its lifetime to Marshal's time in MPI_Init.
class OwnTime {
 public:
  explicit OwnTime(Run& the) : run_(the) {}
  ~OwnTime() {
    run_.facts.begin_ns += since(entered_);
    run_.facts.begin_cpu += thread_cpu_time() - cpu_entered_;
  }
  OwnTime(const OwnTime&) = delete;
  OwnTime& operator=(const OwnTime&) = delete;

 private:
  Run& run_;
  Clock::time_point entered_ = Clock::now();
  std::chrono::nanoseconds cpu_entered_ = thread_cpu_time();
};

// If another MPI's launcher starts the program, every process takes itself for the only one.
void warn_of_other_launcher() {
  const LaunchedProcesses launched = launched_processes();
  if (process_groups().world_size() == 1 && launched.count > 1 && launched.is_first)
    say(Level::warning,
        "MPI_COMM_WORLD has 1 process, but the launcher started {} ({}): start the program with the launcher of {}",
        launched.count, launched.variable, run().facts.job.mpi);
}

// Sends rank 0's text to all: in one message of fixed length, and a second one if it is longer.
void broadcast(std::string& text, JointWork& all) {
  constexpr std::size_t first = 2000;
  std::array<char, sizeof(std::uint64_t) + first> message{};
  std::uint64_t length = text.size();
  std::memcpy(message.data(), &length, sizeof length);
  text.copy(message.data() + sizeof length, first);
  const auto send = [&](char* from, std::size_t bytes) {
    all.all_ready();
    checked("MPI_Bcast", pmpi().Bcast(from, static_cast<int>(bytes), predefined().type_byte, 0, all.communicator()));
  };
  send(message.data(), message.size());
  std::memcpy(&length, message.data(), sizeof length);
  text.resize(length);
  std::copy_n(message.data() + sizeof length, std::min(first, text.size()), text.data());
  if (length > first) send(text.data() + first, length - first);
}

// No other run has it.
std::string random_number_of_run() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = monotonic_ns() ^ static_cast<std::uint64_t>(getpid()) << 40;
  return fmt::format("{:x}", number);
}

// All take rank 0's name of the job and settings: so the reports of single ranks stand together, and all ranks decide
// alike.
void agree(JointWork& all) {  // AGREEMENT: settings, profile
  const bool root = process_groups().world_rank() == 0;
  run_key();  // while the program is in its first directory
  Run& the_run = run();
  report::Job& job = the_run.facts.job;
  std::string text;
  if (root)
    for (const std::string& part : {job.job_id, job.scheduler, profile_of_program(), why_moves_are_not_noted(),
                                    launch_note_of_run(), random_number_of_run(), stem_of_run(), settings_as_text()})
      text += std::to_string(part.size()) + '\n' + part;
  broadcast(text, all);  // AGREEMENT: whether a note of moved ranks can be left
  auto next = [rest = std::string_view(text)]() mutable {
    const std::size_t length = rest.find('\n');
    std::string part(rest.substr(length + 1, std::stoul(std::string(rest.substr(0, length)))));
    rest.remove_prefix(length + 1 + part.size());
    return part;
  };
  job.job_id = next();
  job.scheduler = next();
  adopt_profile(next());
  adopt_why_moves_are_not_noted(next());
  adopt_launch_note(next());
  the_run.number = std::stoull(next(), nullptr, 16);
  the_run.stem = fmt::format("{}-{:08x}", next(), the_run.number & UINT32_MAX);  // several runs may be of one job
  if (!root) adopt_settings(next());                                             // AGREEMENT: what MARSHAL_MODE sets
}

void bound_copies() {
  PackedCopy::bound_memory(settings().is(Option::self_check, "parts") ? std::size_t{2} << 10 : std::size_t{64} << 20);
}

// Each process finds out alone whether the host is as expected inside, which may depend on its node. To see whether the
// host sends over TCP, it looks at some of its own connections only.
void begin_messages(JointWork& all, bool had_session) {
  bound_copies();
  const bool is_on = attempt(messages::begin) && messages::why_off() == nullptr;
  bool by_calls = false;
  attempt([&] { by_calls = calls::may_begin(); });
  const bool over_tcp = !is_open_mpi() && endpoints::begin();
  JointWork::Numbers any{};
  const NodeMap& map = node_map();
  const std::int32_t self = process_groups().world_rank();
  const bool are_nodes = map.nodes() > 1, leads = are_nodes && map.leader_of(map.node_of(self)) == self;
  // The fastest meeting bounds how far the clocks of nodes are apart (record/sampled_calls.h).
  for (int i = 0; i < (are_nodes ? 3 : 1); ++i) {
    const Ticks entered = ticks_now();
    any = all.all_ready(
        {is_on ? 0 : 1, over_tcp ? 1 : 0, could_open_gpu() ? 1 : 0, by_calls ? 0 : 1, had_session ? 1 : 0});
    if (const Ticks left = ticks_now(); leads) note_meeting(entered, left, static_cast<std::uint32_t>(map.nodes()));
  }
  note_gpus(any[2] != 0);                       // AGREEMENT: whether any process of the job could open a GPU
  endpoints::agree_on_tcp(any[1] != 0);         // AGREEMENT: whether the job sends over TCP with MPICH
  if (any[0] == 0) messages::begin_together();  // AGREEMENT: whether messages go whole over TCP
  if (any[3] == 0)                              // AGREEMENT: whether messages go by calls
    calls::begin_together();
  else
    calls::stay_off();
  if (any[4] == 0) exchange::begin(all.communicator());  // AGREEMENT: whether exchanges may go by nodes
}

// The private duplicate: all have it, or none.
bool duplicate(MPI_Comm of, MPI_Comm& own) {  // AGREEMENT: whether there is a private communicator
  const int here = pmpi().Comm_dup(of, &own) == MPI_SUCCESS ? 1 : 0;
  int everywhere = 0;
  const int code = pmpi().Allreduce(&here, &everywhere, 1, predefined().type_int, predefined().op_min, of);
  if (code == MPI_SUCCESS && everywhere != 0) return true;
  if (here != 0) pmpi().Comm_free(&own);
  return false;
}

void note_beginning(AddToRecord add) {
  Run& the = run();
  the.process = getpid();
  // Before all ranks take rank 0's settings: its files are not this process's.
  look_for_gpus(std::string(settings().text(Option::devices)));
  the.facts.note_surroundings();
  the.add = std::move(add);
  look_for_python();
  the.own = predefined().comm_null;
}

Readiness own_readiness(bool able) {
  if (!settings().excluded_by.empty()) return Readiness::excluded;
  if (settings().disable) return Readiness::switched_off;
  return able ? Readiness::ready : Readiness::unable;
}

// Marshal needs every rank of the job. Meets them, makes a private duplicate of `of`, agrees on everything else there,
// and runs `set_up`, which must not communicate. False if all step aside. `had_session`: threads may be at work
// already.
template <class SetUp>
bool join_all(MPI_Comm of, bool able, bool had_session, SetUp set_up) {
  Run& the = run();
  const Arrival arrival = meet_everybody(of, own_readiness(able));
  the.facts.waited_ns += nanoseconds(arrival.waited);
  the.facts.waited_cpu += arrival.waited_cpu;
  bool joined = arrival.all_ready;
  if (joined && duplicate(of, the.own)) {
    the.has_own = true;
    pmpi().Comm_set_errhandler(the.own, predefined().errors_return);
    joined = JointWork::run(the.own, [&](JointWork& all) {
      agree(all);
      learn_nodes(all);
      share_slots(all);
      compare_order();
      learn_node_levels(all);
      if (process_groups().world_rank() == 0) say_whether_ranks_are_kept();
      set_up();
      begin_messages(all, had_session);
    });
    if (!joined && process_groups().world_rank() == 0)
      say_line(Level::warning, "out of memory at init; all ranks go on without Marshal");
  } else if (joined) {
    say_line(Level::warning, "MPI_Comm_dup failed at init: each rank will write a report of its own");
    note_gpus(true);  // nobody can ask the others
    joined = attempt(set_up);
    bound_copies();
    if (joined) attempt(messages::begin);
    calls::stay_off();
  }
  if (joined) {
    attempt(files::begin);
    if (calls::is_missed() && process_groups().world_rank() == 0)
      say(Level::warning, "MARSHAL_MESSAGES={}: datatypes in messages are left to the MPI library: {}",
          settings().text(Option::messages), calls::way_of_messages());
    return true;
  }
  messages::end();
  calls::end();
  exchange::end();
  if (the.has_own) pmpi().Comm_free(&the.own);
  the.has_own = false;
  watch::own_chunk.store(nullptr, std::memory_order_release);
  the.stage.store(Stage::ended, std::memory_order_release);
  step_aside();
  return false;
}

void begin_counters() {
  const std::string_view events = settings().text(Option::papi);
  if (events.empty() || events == "off") return;
  const std::string problems = counters::begin_counting(events);
  if (!problems.empty() && first_of_job()) say(Level::warning, "MARSHAL_PAPI: not counted: {}", problems);
}

void enter_predefined(MPI_Comm handle, RankMap map) {
  auto communicator = std::make_unique<Communicator>();
  communicator->map = std::move(map);
  communicator->counted_here = counts(handle, *communicator);
  if (handle == predefined().comm_world)
    communicator->row = watch::new_row(watch::identity_of_world, static_cast<std::uint32_t>(communicator->map.size()),
                                       process_groups().world_rank());
  books::enter(handle, std::move(communicator));
}

}  // namespace

void start_clock() {
  Run& the = run();
  const std::lock_guard lock(the.changing);
  the.facts.note_start();
}

bool ever_begun() { return run().stage.load(std::memory_order_acquire) != Stage::before; }
bool begun() { return run().stage.load(std::memory_order_acquire) == Stage::begun; }

void begin(AddToRecord add) {
  Run& the = run();
  const std::lock_guard lock(the.changing);
  if (the.stage.load() == Stage::ended) return;
  const OwnTime own_time(the);
  const bool had_session = the.stage.load() != Stage::before;
  bool able = true;
  if (!had_session)
    able = attempt([&] {
      note_beginning(std::move(add));
      MPI_Group world = predefined().group_null;
      checked("MPI_Comm_group", pmpi().Comm_group(predefined().comm_world, &world));
      process_groups().set_world(world);
      begin_counters();
    });
  if (!settings().disable) attempt(warn_of_other_launcher);
  if (first_of_job()) attempt(report_setting_problems);
  const auto enter_world = [&] {
    the.facts.note_thread_level();
    objects_are_shared = had_session || threads_enter_at_once();  // what was made there stays counted as it is
    books::types_are_shared = threads_enter_at_once();
    note_communicator_limit(learn_communicator_limit(true), process_groups().world_rank());
    learn_type_sizes();
    const MapForm form = map_form_in_force();
    const RankMap everybody = RankMap::identity(0, process_groups().world_size(), form);
    const std::int32_t self = process_groups().world_rank();
    enter_predefined(predefined().comm_world, everybody);
    enter_predefined(predefined().comm_self, RankMap::from_lpids(0, {&self, 1}, form));
  };
  if (the.has_own)
    enter_world();  // met in a session
  else if (!join_all(predefined().comm_world, able, had_session, enter_world))
    return;
  if (settings().traffic != Traffic::off) watch_messages();
  the.stage.store(Stage::begun, std::memory_order_release);
}

void begin_session(MPI_Group world, AddToRecord add) {
  Run& the = run();
  const std::lock_guard lock(the.changing);
  if (the.stage.load() != Stage::before) {
    pmpi().Group_free(&world);
    return;
  }
  const OwnTime own_time(the);
  note_beginning(std::move(add));
  process_groups().set_world(world);
  if (first_of_job()) report_setting_problems();
  note_communicator_limit(learn_communicator_limit(false), process_groups().world_rank());
  begin_counters();
  if (settings().traffic != Traffic::off) watch_messages();
  the.stage.store(Stage::begun, std::memory_order_release);
}

void meet_all(MPI_Comm everybody) {  // AGREEMENT: whether Marshal runs in a program of sessions
  Run& the = run();
  const std::lock_guard lock(the.changing);
  if (the.stage.load() != Stage::begun || the.has_own) return;
  const OwnTime own_time(the);
  join_all(everybody, true, true, [] {});
}

}  // namespace marshal::job
