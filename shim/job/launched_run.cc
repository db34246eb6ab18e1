#include "job/launched_run.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/immortal.h"
#include "base/message.h"
#include "host/node_map.h"
#include "host/process_groups.h"
#include "reordering/run_key.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

struct Launched {
  // Constant from init on.
  std::optional<profile::LaunchNote> note;
  std::vector<std::int32_t> node_of_host;  // its number in the node map; empty: the order was not compared
  std::uint64_t elsewhere = 0;             // ranks
};
Immortal<Launched> launched;

std::int32_t node_asked(std::int32_t lpid) {
  return launched->node_of_host[static_cast<std::size_t>(launched->note->asked[static_cast<std::size_t>(lpid)])];
}

// Names of nodes differ from those of hostfiles, so what counts is which ranks are together. Each host is taken for the
// node that has most of its ranks; no two hosts for one node.
std::vector<std::int32_t> match_hosts_with_nodes(const profile::LaunchNote& note) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> ranks_of;  // (host, node)
  for (std::size_t rank = 0; rank < note.asked.size(); ++rank)
    ++ranks_of[{note.asked[rank], node_map().node_of(static_cast<std::int32_t>(rank))}];
  std::vector<std::pair<std::int32_t, std::pair<std::int32_t, std::int32_t>>> by_ranks;
  for (const auto& [pair, ranks] : ranks_of) by_ranks.emplace_back(-ranks, pair);
  std::sort(by_ranks.begin(), by_ranks.end());
  std::vector<std::int32_t> node_of_host(note.hosts.size(), -1);
  std::vector<bool> is_taken(static_cast<std::size_t>(node_map().nodes()));
  for (const auto& [ranks, pair] : by_ranks) {
    const auto host = static_cast<std::size_t>(pair.first), node = static_cast<std::size_t>(pair.second);
    if (node_of_host[host] >= 0 || is_taken[node]) continue;
    node_of_host[host] = pair.second;
    is_taken[node] = true;
  }
  return node_of_host;
}

void say_who_is_elsewhere(const profile::LaunchNote& note) {
  std::int32_t first = 0;
  while (node_map().node_of(first) == node_asked(first)) ++first;
  std::string with;
  for (std::int32_t other = 0; other < node_map().processes() && with.empty(); ++other)
    if (other != first && node_map().node_of(other) == node_map().node_of(first))
      with = ", it shares a node with rank " + std::to_string(other);
  say(Level::warning,
      "the ranks do not stand in the order that `marshal launch` asked for: {} of {} are on other nodes; rank {} was "
      "asked for {}{}",
      launched->elsewhere, note.asked.size(), first,
      note.hosts[static_cast<std::size_t>(note.asked[static_cast<std::size_t>(first)])], with);
}

}  // namespace

std::string launch_note_of_run() {
  const std::string path(settings().text(Option::launch));
  if (path.empty()) return {};
  std::string problem;
  const auto note = profile::read_launch_note(path, problem);
  if (note) return profile::to_text(*note);
  say_line(Level::warning, problem);
  return {};
}

void adopt_launch_note(const std::string& text) {
  std::string why_not;
  if (!text.empty()) launched->note = profile::launch_note_from_text(text, why_not);
  // Programs that this one starts are none that `marshal launch` knows.
  unsetenv(std::string(row(Option::launch).name).c_str());
}

void compare_order() {
  if (!is_launched() || !launched->note->has_order() || node_map().nodes() == 0) return;
  if (settings().topology_given) return;  // made-up nodes are not those of an order
  const profile::LaunchNote& note = *launched->note;
  const bool speaks = process_groups().world_rank() == 0;
  if (note.asked.size() != static_cast<std::size_t>(node_map().processes())) {
    if (speaks)
      say(Level::warning, "`marshal launch` asked for an order of {} ranks, the launcher started {}: not compared",
          note.asked.size(), node_map().processes());
    return;
  }
  launched->node_of_host = match_hosts_with_nodes(note);
  for (std::int32_t rank = 0; rank < node_map().processes(); ++rank)
    if (node_map().node_of(rank) != node_asked(rank)) ++launched->elsewhere;
  if (speaks && launched->elsewhere != 0) say_who_is_elsewhere(note);
}

bool is_launched() { return launched->note.has_value(); }

const profile::ProgramKey& key_of_traffic() { return is_launched() ? launched->note->key : run_key(); }

std::int32_t node_in_given_order(std::int32_t lpid) {
  if (launched->node_of_host.empty() || launched->elsewhere != 0) return node_map().node_of(lpid);
  const std::int32_t host = launched->note->given[static_cast<std::size_t>(lpid)];
  return launched->node_of_host[static_cast<std::size_t>(host)];
}

void put_order_into(report::Job& job) {
  if (launched->node_of_host.empty()) return;
  const profile::LaunchNote& note = *launched->note;
  job.order = {note.asked.size(), launched->elsewhere, note.bytes_given, note.bytes_asked, note.taught_by};
}

}  // namespace marshal
