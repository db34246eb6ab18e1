#include "tools/order/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "mapping/index.h"
#include "topology/domains.h"

namespace marshal::tools {

using mapping::at;

Places places_for(std::vector<Host> hosts, std::span<const std::int32_t> node_of_rank) {
  for (Host& host : hosts) host.places = 0;
  for (const std::int32_t node : node_of_rank) ++hosts[at(node)].places;
  Places places;
  std::vector<std::int32_t> next;
  std::int32_t first = 0;
  for (const Host& host : hosts) {
    next.push_back(first);
    first += host.places;
  }
  for (const std::int32_t node : node_of_rank) places.given.push_back(next[at(node)]++);
  std::erase_if(hosts, [](const Host& host) { return host.places == 0; });
  places.hosts = std::move(hosts);
  return places;
}

std::vector<std::string> Places::names() const {
  std::vector<std::string> list;
  for (const Host& host : hosts) list.push_back(host.name);
  return list;
}

std::vector<std::int32_t> Places::capacity() const {
  std::vector<std::int32_t> list;
  for (const Host& host : hosts) list.push_back(host.places);
  return list;
}

std::vector<std::int32_t> Places::nodes_of(std::span<const std::int32_t> place_of_rank) const {
  std::vector<std::int32_t> node_of_place, nodes;
  for (std::size_t node = 0; node < hosts.size(); ++node)
    node_of_place.insert(node_of_place.end(), at(hosts[node].places), static_cast<std::int32_t>(node));
  for (const std::int32_t place : place_of_rank) nodes.push_back(node_of_place[at(place)]);
  return nodes;
}

Places places_of_run(const traffic::Job& job) {
  std::vector<Host> hosts;
  for (const std::string& name : job.node_names) hosts.push_back({name, 0});
  const std::vector<std::int32_t> nodes(job.node_of_process.begin(), job.node_of_process.end());
  Places places = places_for(std::move(hosts), nodes);
  // A file of another's may hold anything, and launchers read what is written here.
  places.named = std::ranges::all_of(job.node_names, [](const std::string& name) { return is_host_name(name); });
  return places;
}

Places places_on(std::vector<Host> hosts, std::int32_t ranks, Given given) {
  const std::int64_t room = std::accumulate(hosts.begin(), hosts.end(), std::int64_t{0},
                                            [](std::int64_t sum, const Host& host) { return sum + host.places; });
  if (room < ranks)
    throw std::invalid_argument(
        fmt::format("{} processes do not fit: the {} nodes take {}", ranks, hosts.size(), room));
  std::vector<std::int32_t> nodes;
  if (given == Given::block) {
    for (std::size_t node = 0; node < hosts.size(); ++node)
      nodes.insert(nodes.end(), std::min(at(hosts[node].places), at(ranks) - nodes.size()),
                   static_cast<std::int32_t>(node));
  } else {
    for (std::int32_t round = 0; nodes.size() < at(ranks); ++round)
      for (std::size_t node = 0; node < hosts.size() && nodes.size() < at(ranks); ++node)
        if (hosts[node].places > round) nodes.push_back(static_cast<std::int32_t>(node));
  }
  return places_for(std::move(hosts), nodes);
}

void describe_inside(Places& places, const std::string& synthetic) {
  std::map<std::int32_t, topology::Domains> by_size;
  std::int32_t first = 0, domains_before = 0;
  const auto room = at(std::accumulate(places.hosts.begin(), places.hosts.end(), std::int64_t{0},
                                       [](std::int64_t sum, const Host& host) { return sum + host.places; }));
  for (const char* name : {"package", "numa", "l3"}) places.levels.push_back({name, std::vector<std::int32_t>(room)});
  for (const Host& host : places.hosts) {
    const auto [found, is_new] = by_size.try_emplace(host.places);
    if (is_new) found->second = topology::synthetic_domains(synthetic, host.places);
    const topology::Domains& domains = found->second;
    if (!domains.problem.empty()) throw std::invalid_argument("--inside: " + domains.problem);
    for (mapping::PlaceLevel& level : places.levels) {
      const auto known =
          std::find_if(domains.levels.begin(), domains.levels.end(),
                       [&](const topology::DomainLevel& found_level) { return found_level.name == level.name; });
      for (std::int32_t i = 0; i < host.places; ++i)
        level.domain_of_place[at(first + i)] =
            domains_before + (known == domains.levels.end() ? 0 : std::max(0, known->domain_of[at(i)]));
    }
    first += host.places;
    std::int32_t most = 0;
    for (const topology::DomainLevel& level : domains.levels)
      for (const std::int32_t domain : level.domain_of) most = std::max(most, domain);
    domains_before += most + 1;
  }
  // Levels that no node has.
  std::erase_if(places.levels, [&](const mapping::PlaceLevel& level) {
    return std::none_of(by_size.begin(), by_size.end(), [&](const auto& entry) {
      return std::any_of(entry.second.levels.begin(), entry.second.levels.end(),
                         [&](const topology::DomainLevel& found) { return found.name == level.name; });
    });
  });
}

}  // namespace marshal::tools
