#include "job/traffic_writing.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/attempt.h"
#include "base/message.h"
#include "base/new_file.h"
#include "base/process_facts.h"
#include "communicators/sent_messages.h"
#include "findings/findings.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "job/launched_run.h"
#include "profile/kept_traffic.h"
#include "reordering/learned_grids.h"
#include "reordering/run_key.h"
#include "settings/settings_in_force.h"
#include "traffic/block.h"
#include "traffic/traffic_file.h"
#include "traffic/tried_order.h"

namespace marshal {
namespace {

constexpr int name_tag = 2, rows_tag = 3, turn_tag = 4;

// In the place of rows that are lost, as some process had no memory for them. No block of rows is so short.
constexpr const char* lost_rows = "-";

// A text of at most 2 GiB. `otherwise` if the message or the memory cannot be had.
std::string receive_text(int from, int tag, MPI_Comm all, const char* otherwise = "") {
  MPI_Status status;
  int length = 0;
  std::string text;
  if (pmpi().Probe(from, tag, all, &status) != MPI_SUCCESS) return otherwise;
  pmpi().Get_count(&status, predefined().type_byte, &length);
  // Without room the message is cut off, so that its sender does not wait.
  const bool has_room = attempt([&] { text.resize(static_cast<std::size_t>(length)); });
  if (!has_room) length = 0;
  pmpi().Recv(text.data(), length, predefined().type_byte, from, tag, all, MPI_STATUS_IGNORE);
  if (!has_room) return otherwise;
  return text;
}

void send_text(const std::string& text, int to, int tag, MPI_Comm all) {
  pmpi().Send(text.data(), static_cast<int>(text.size()), predefined().type_byte, to, tag, all);
}
void send_rows(const std::string& rows, int to, MPI_Comm all) {
  send_text(rows.size() <= INT32_MAX ? rows : lost_rows, to, rows_tag, all);
}
std::string receive_rows(int from, MPI_Comm all) { return receive_text(from, rows_tag, all, lost_rows); }

std::string own_rows(int rank, const std::vector<SentTo>& sent) {
  std::vector<traffic::Sent> to_processes, to_nodes;
  traffic::Row row;
  row.process = static_cast<std::uint32_t>(rank);
  for (const SentTo& to : sent) {
    if (to.name == foreign_peer)
      row.foreign = {to.messages, to.bytes};
    else if (is_node(to.name))
      to_nodes.push_back({static_cast<std::uint32_t>(node_of_peer(to.name)), to.messages, to.bytes});
    else if (to.name != unknown_peer)
      to_processes.push_back({static_cast<std::uint32_t>(to.name), to.messages, to.bytes});
  }
  std::reverse(to_nodes.begin(), to_nodes.end());  // names of nodes descend
  row.to_processes = to_processes;
  row.to_nodes = to_nodes;
  if (sent.empty()) return {};
  traffic::RowPacker packer;
  packer.add(row);
  return packer.take();
}

// Calls work(node, leader) for all nodes but that of process 0, which leads the first. A leader collects the rows of
// its node.
template <class Work>
void for_other_leaders(Work work) {
  int next = 1;  // nodes are numbered in the order of their leaders
  for (int process = 0; process < node_map().processes(); ++process)
    if (node_map().node_of(process) == next) work(static_cast<std::size_t>(next++), process);
}

std::string rows_of_node(int rank, std::string own, MPI_Comm all) {
  const NodeMap& nodes = node_map();
  for (int process = rank + 1; process < nodes.processes(); ++process)
    if (nodes.node_of(process) == nodes.node_of(rank)) {
      const std::string rows = receive_rows(process, all);
      if (own == lost_rows || rows == lost_rows || !attempt([&] { own += rows; })) own = lost_rows;
    }
  return own;
}

traffic::Job job_of(const report::Record& record, std::vector<std::string> node_names) {
  const report::Job& job = record.job;
  traffic::Job of;
  of.node_names = std::move(node_names);
  for (int process = 0; process < node_map().processes(); ++process)
    of.node_of_process.push_back(static_cast<std::uint32_t>(node_map().node_of(process)));
  std::string arguments;
  for (const std::string& argument : job.arguments) arguments += (arguments.empty() ? "" : " ") + argument;
  const std::string seconds = std::to_string(static_cast<double>(record.own.wall_ns.max) / 1e9);
  const std::string in_parts = std::to_string(report::bytes_in_parts(record.traffic, of.processes()));
  for (const auto& [name, value] : {std::pair<const char*, const std::string&>{"program", job.program},
                                    {"arguments", arguments},
                                    {"directory", directory_of_run()},
                                    {"job", job.job_id},
                                    {"started", job.started},
                                    {"mpi", job.mpi},
                                    {"seconds", seconds},
                                    {"collectives_in_parts", in_parts},
                                    {"marshal", job.marshal_version}})
    if (!value.empty()) of.facts[name] = value;
  record.grids.each([&](const report::GridKey& key, const report::Grid&) {
    if (key.moved) of.facts["moved"] = "1";
  });
  if (record.job.order.ranks != 0) of.facts["placed"] = "1";
  record.calls.each([&](const std::string& name, const report::CallCount&) {
    if (name == "MPI_Comm_split_type" || name == "MPI_Win_allocate_shared") of.facts["splits_by_node"] = "1";
  });
  return of;
}

// The profile may be on another file system, so the file is copied. Its path, empty where it is not kept.
std::string kept_copy(const std::string& file) {
  const int processes = node_map().processes();
  const std::string problem = profile::keep_traffic(profiles_of_run(), key_of_traffic(), processes, file);
  say_of_profiles(problem);
  std::string path = profile::kept_traffic_path(profiles_of_run(), key_of_traffic(), processes);
  return problem.empty() && access(path.c_str(), R_OK) == 0 ? path : std::string();
}

WrittenFile gather_traffic(MPI_Comm all, const std::string& stem, const report::Record& record) {
  const int rank = own_rank(all);
  // In what follows nobody gives up: others wait.
  std::string rows;
  if (!attempt([&] { rows = own_rows(rank, sent_messages()); })) rows = lost_rows;
  const int leader = node_map().leader_of(node_map().node_of(rank));
  if (rank != leader) {
    send_rows(rows, leader, all);
    return {};
  }
  rows = rows_of_node(rank, std::move(rows), all);
  if (rank != 0) {
    std::string name;
    attempt([&] { name = host_name(); });
    send_text(name, 0, name_tag, all);
    receive_text(0, turn_tag, all);
    send_rows(rows, 0, all);
    return {};
  }
  std::vector<std::string> names;
  std::unique_ptr<traffic::TrafficWriter> writer;
  std::string error;
  const auto guarded = [&](auto&& work) {
    try {
      work();
    } catch (const std::exception& failure) {
      attempt([&] { error = error.empty() ? failure.what() : error; });
      writer = nullptr;
    }
  };
  // Without one process's rows another order would be worked out that does not suit the program.
  const auto append = [&] {
    if (rows == lost_rows) throw std::runtime_error("a process had no memory for what it sent");
    if (writer != nullptr && !rows.empty()) writer->append(rows);
  };
  guarded([&] { names.resize(static_cast<std::size_t>(node_map().nodes())); });
  guarded([&] { names.at(0) = host_name(); });
  for_other_leaders([&](std::size_t node, int its_leader) {
    std::string name = receive_text(its_leader, name_tag, all);
    guarded([&] { names.at(node) = std::move(name); });
  });
  guarded([&] {
    // One that is to be removed is for nobody else.
    const bool stays = writes_traffic();
    writer = std::make_unique<traffic::TrafficWriter>(
        stays ? stem : spare_folder() + "/marshal-" + std::to_string(getpid()), job_of(record, std::move(names)),
        stays ? NewFile::readable : NewFile::only_the_user);
    append();
  });
  for_other_leaders([&](std::size_t, int its_leader) {
    send_text({}, its_leader, turn_tag, all);
    rows = receive_rows(its_leader, all);
    guarded(append);
  });
  WrittenFile file;
  guarded([&] {
    if (writer != nullptr) file = writer->finish();
  });
  if (file.path.empty() && file.error.empty()) file.error = "the traffic file could not be written: " + error;
  return file;
}

}  // namespace

bool writes_traffic() {
  const Settings& now = settings();
  if (now.traffic == Traffic::off || node_map().nodes() == 0) return false;
  // Where the receivers of some messages are not known, the file would lack them.
  return now.traffic == Traffic::on || (now.asks_host && now.reports.json && node_map().nodes() > 1);
}

bool keeps_traffic() { return learns_grids() && !settings().topology_given && (is_launched() || writes_traffic()); }

std::string write_traffic(MPI_Comm all, const std::string& stem, report::Record& record) {
  WrittenFile file = gather_traffic(all, stem, record);
  if (file.path.empty()) return file.error;
  if (keeps_traffic() && !profiles_of_run().empty()) attempt([&] { record.traffic.kept = kept_copy(file.path); });
  if (writes_traffic()) {
    record.traffic.file = std::move(file.path);
  } else {
    unlink(file.path.c_str());
    record.traffic.file = record.traffic.kept;
  }
  return file.error;
}

void try_order(report::Traffic& traffic, const report::Record& record) {
  // A look takes about 4 ns in all, or 25 ns with what the mappers of grids do beside it.
  constexpr std::uint64_t most_looks = 10'000'000, looks_of_a_second = 250'000;
  if (traffic.file.empty() || !report::may_gain_by_order(record)) return;
  const std::uint64_t looks = record.own.wall_ns.max / (1'000'000'000 / looks_of_a_second);
  const auto bytes = traffic::try_order_of_file(traffic.file, static_cast<std::int64_t>(std::min(looks, most_looks)));
  if (!bytes) return;
  traffic.tried_orders = 1;
  traffic.tried_order_bytes = *bytes;
}

}  // namespace marshal
