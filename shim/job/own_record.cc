#include "job/own_record.h"

#include <config.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/process_facts.h"
#include "calls/by_calls.h"
#include "callsites/object_place.h"
#include "communicators/communicators.h"
#include "communicators/communicators_in_use.h"
#include "communicators/creation.h"
#include "communicators/groups.h"
#include "communicators/sent_messages.h"
#include "counters/event_counts.h"
#include "exchange/exchange.h"
#include "files/open_files.h"
#include "host/host_family.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/process_groups.h"
#include "job/launched_run.h"
#include "reordering/grid_record.h"
#include "reordering/placed_grid.h"
#include "settings/settings_in_force.h"
#include "types/type_book.h"
#include "watch/looker.h"

namespace marshal {
namespace {

// "Open MPI v4.1.4, package: …" -> "Open MPI 4.1.4"; "MPICH Version:\t4.0.2\nMPICH Release…" -> "MPICH 4.0.2".
std::string host_name_and_version() {
  HostVersion said;
  read_host_version(said);
  if (said.text[0] == '\0') return "not available";
  std::string version(said.text);
  version = version.substr(0, version.find_first_of(",\n"));
  std::string kept;
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (version.compare(i, 9, " Version:") == 0) {
      kept += ' ';
      i = version.find_first_not_of(" \t", i + 9);
      if (i == std::string::npos) break;
    } else if (version[i] == 'v' && i > 0 && version[i - 1] == ' ') {
      continue;
    }
    kept += version[i];
  }
  return kept;
}

std::string name_of_thread_level() {
  int level = MPI_THREAD_SINGLE;
  if (pmpi().Query_thread(&level) != MPI_SUCCESS) return {};
  for (const auto& [value, name] : {std::pair(MPI_THREAD_SINGLE, "MPI_THREAD_SINGLE"),
                                    {MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED"},
                                    {MPI_THREAD_SERIALIZED, "MPI_THREAD_SERIALIZED"},
                                    {MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE"}})
    if (level == value) return name;
  return {};
}

void put_counters_into(report::Record& record) {
  for (const counters::EventCount& count : counters::event_counts()) {
    report::Counter counter;
    counter.packing = count.of[static_cast<std::size_t>(counters::Work::packing)];
    counter.translation = count.of[static_cast<std::size_t>(counters::Work::translation)];
    counter.processes = count.unavailable.empty() ? 1 : 0;
    counter.unavailable = count.unavailable;
    record.counters[count.event].merge(counter);
  }
}

std::uint64_t number(std::int32_t node) { return static_cast<std::uint64_t>(node); }

// The order given is the launcher's, without that of `marshal launch`.
Leg leg_from_given(const SentTo& to, const PlacedGrid* moved) {
  Leg leg = leg_to(to.name, moved);
  const std::int32_t self = process_groups().world_rank();
  leg.given_from = node_in_given_order(moved == nullptr ? self : moved->given_for(self));
  if (!is_node(to.name)) leg.given_to = node_in_given_order(moved == nullptr ? to.name : moved->given_for(to.name));
  return leg;
}

void add_leg(report::Traffic& traffic, const Leg& leg, std::uint64_t bytes) {
  add_crossing(leg, bytes, traffic.between_nodes, traffic.leaving);
  const std::uint64_t block = traffic.nodes_a_row;
  traffic.heat[{number(leg.from) / block, number(leg.to) / block}].in_force += bytes;
  traffic.heat[{number(leg.given_from) / block, number(leg.given_to) / block}].given += bytes;
}

// The messages that this process sent, apart for each grid. A grid whose processes were moved tells what the order
// given would have sent.
void put_traffic_into(report::Record& record, const std::vector<SentTo>& sent) {
  report::Traffic& traffic = record.traffic;
  if (!is_watching_messages()) return;
  traffic.processes = 1;
  traffic.lost_messages = lost_messages();
  traffic.unsized = unsized_messages();
  const auto nodes = number(node_map().nodes());
  traffic.nodes_a_row = nodes == 0 ? 1 : (nodes + report::most_heat_rows - 1) / report::most_heat_rows;
  const SentTo derived = sent_derived();
  traffic.derived_messages = derived.messages;
  traffic.derived_bytes = derived.bytes;
  const PlacedGrid* moved = moved_grid(0, sent);
  GridNumber grid = 0;
  for (const SentTo& to : sent) {
    if (to.grid != grid) moved = moved_grid(grid = to.grid, sent);
    if (to.name == foreign_peer) {
      traffic.foreign_messages += to.messages;
      traffic.foreign_bytes += to.bytes;
      continue;
    }
    if (to.name == unknown_peer) {
      traffic.unknown_messages += to.messages;
      traffic.unknown_bytes += to.bytes;
      continue;
    }
    traffic.messages += to.messages;
    traffic.bytes += to.bytes;
    if (nodes != 0 && to.bytes != 0) add_leg(traffic, leg_from_given(to, moved), to.bytes);
  }
}

// Several places may have one call site: where call sites are off, or their library is no longer loaded.
using ObjectsOfSites = std::map<report::CallSite, report::ObjectSite>;

void add_committed_types(ObjectsOfSites& sites) {
  for (const SiteHistory& place : site_histories)
    if (place.caller() != nullptr && place.types() != 0)
      sites[site_of("MPI_Type_commit", frames_above(place.caller(), 1))].add_place(place.types(), place.alive(),
                                                                                   place.most_alive());
}

void put_objects_into(report::Record& record) {
  std::map<const ObjectPlace*, std::uint64_t> kept;
  for (const ObjectPlace* const place : books::places_of_groups_kept()) ++kept[place];
  ObjectsOfSites sites;
  each_object_place([&](const ObjectPlace& place) {
    const std::uint64_t made = place.made.load(), ended = place.ended.load() + kept[&place];
    if (made == 0) return;
    const CallFrames frames = stands_for_several(place) ? CallFrames{} : frames_above(place.caller, 1);
    // A group that the program has freed counts as alive as long as its communicator keeps it.
    std::optional<std::uint64_t> most_alive = place.most_alive.load();
    if (std::string_view(place.call) == "MPI_Comm_group") most_alive.reset();
    sites[site_of(place.call, frames)].add_place(made, made - std::min(made, ended), most_alive);
  });
  if (!objects_are_shared) add_committed_types(sites);
  for (const auto& [site, row] : sites) record.objects[site].merge(row);
  record.communicators_at_once.add(communicators_in_use().most, record.ranks.lowest());
}

}  // namespace

void RunFacts::note_start() {
  if (!job.started.empty()) return;
  began = std::chrono::steady_clock::now();
  job.started = iso_now();
}

void RunFacts::note_surroundings() {
  const JobFacts batch = job_facts();
  job.job_id = batch.id;
  job.scheduler = batch.scheduler;
  job.mpi = host_name_and_version();
  int version = 0, subversion = 0;
  pmpi().Get_version(&version, &subversion);
  job.mpi_standard = std::to_string(version) + "." + std::to_string(subversion);
}

void RunFacts::note_thread_level() { job.thread_level = name_of_thread_level(); }

report::Record own_record(const RunFacts& facts) {
  report::Record record;
  const ProgramFacts program = program_facts();
  report::Job& job = record.job = facts.job;
  job.program = program.name;
  job.path = program.path;
  job.arguments = program.arguments;
  job.host = host_name();
  job.marshal_version = PACKAGE_VERSION;
  job.messages = calls::way_of_messages();
  job.ranks = static_cast<std::uint64_t>(std::max(0, process_groups().world_size()));
  job.nodes = static_cast<std::uint64_t>(node_map().nodes());
  job.ranks_per_node_min = static_cast<std::uint64_t>(node_map().least_per_node());
  job.ranks_per_node_max = static_cast<std::uint64_t>(node_map().most_per_node());
  job.project_ranks = std::uint64_t{1} << 20;
  for (const OptionRow& row : option_table())
    if (const OptionValue& value = settings()[row.option];
        !row.hidden && value.source != Source::built_in && !(value.by_mode && value.text == row.initial))
      job.settings[std::string(row.name)] =
          value.text + " (" + (value.by_mode ? value.where : std::string(source_name(value.source))) + ")";
  put_order_into(job);
  record.ranks = report::RankSet(static_cast<std::uint64_t>(std::max(0, process_groups().world_rank())));

  job.communicator_limit = communicators_in_use().limit;
  const bool uses_are_seen = is_watching_messages() && settings().time;
  put_sites_into(record, uses_are_seen ? std::optional(books::unused_communicators()) : std::nullopt);
  put_objects_into(record);
  const std::vector<SentTo> sent = sent_in_grids();
  put_grids_into(record, sent);
  put_traffic_into(record, sent);
  books::put_types_into(record);
  record.files = files::copy_of(files::counts);
  record.exchanges = exchange::exchanges();
  record.cores = watch::core_uses();
  put_counters_into(record);
  const books::CommunicatorTotals communicators = books::communicator_totals();
  const books::GroupTotals groups = books::group_totals();
  const std::uint64_t bytes =
      communicators.map_bytes + books::communicator_table_bytes() + groups.map_bytes + node_map().bytes();
  record.own.wall_ns.add(since(facts.began));
  record.own.init_ns.add(facts.begin_ns - facts.waited_ns);
  record.own.waited_ns.add(facts.waited_ns);
  record.own.init_cpu_ns.add(nanoseconds(facts.begin_cpu - facts.waited_cpu));
  const TimeInside inside = time_inside_creations();
  record.own.inside_ns.add(inside.wall_ns);
  record.own.inside_cpu_ns.add(inside.cpu_ns);
  record.own.map_bytes.add(bytes);
  record.own.map_bytes_peak.add(bytes - communicators.map_bytes + communicators.map_bytes_peak);
  record.own.tables_shared.add(communicators.tables_shared);
  record.own.process_groups.add(static_cast<std::uint64_t>(process_groups().count()));
  return record;
}

}  // namespace marshal
