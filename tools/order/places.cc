#include "tools/order/places.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>

#include "base/split_text.h"
#include "mapping/index.h"
#include "topology/domains.h"

namespace marshal::tools {

namespace {

constexpr std::int32_t most_places = 1 << 20;

struct Line {
  const std::string& file;
  std::size_t number;
  [[noreturn]] void wrong(std::string_view what) const {
    throw std::invalid_argument(fmt::format("{}, line {}: {}", file, number, what));
  }
};

std::int32_t places_of(std::string_view text, std::int32_t least, const Line& line) {
  std::int32_t places = 0;
  if (!read_number(text, places) || places < least || places > most_places)
    line.wrong(fmt::format("'{}' is no number of processes", text));
  return places;
}

bool is_address(std::string_view name) {
  in6_addr address;
  return inet_pton(AF_INET6, std::string(name).c_str(), &address) == 1;
}

template <std::size_t count>
bool is_one_of(std::string_view word, const std::string_view (&words)[count]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// "name", "name:4" or "user@name:4"; an IPv6 address has colons of its own.
Host host_of(std::string_view word, const Line& line) {
  Host host{.name = std::string(word), .places = 1, .is_counted = false};
  if (const std::size_t at = host.name.find('@'); at != std::string::npos) {
    host.has_more = true;
    host.name.erase(0, at + 1);
  }
  if (is_address(host.name)) return host;
  if (const std::size_t colon = host.name.find(':'); colon != std::string::npos) {
    host.places = places_of(std::string_view(host.name).substr(colon + 1), 1, line);
    host.name.resize(colon);
    host.is_counted = true;
  }
  if (!is_host_name(host.name)) line.wrong(fmt::format("'{}' is no host name", host.name));
  return host;
}

// The words behind the host, as Open MPI's mpirun reads them: with blanks around the equals sign or without.
void read_more(Host& host, const std::vector<std::string_view>& words, const Line& line) {
  constexpr std::string_view slots[] = {"slots", "count", "cpu"};
  constexpr std::string_view most[] = {"max_slots", "max-slots", "slots_max", "slots-max", "max_cpu",   "max-cpu",
                                       "cpu_max",   "cpu-max",   "max_count", "max-count", "count_max", "count-max"};
  constexpr std::string_view more[] = {"ifname", "user", "username", "user-name", "user_name", "port", "binding"};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const std::string_view key = word.substr(0, word.find('='));
    std::string_view value = key.size() == word.size() ? std::string_view() : word.substr(key.size() + 1);
    const bool has_equals = key.size() != word.size() || (i + 1 < words.size() && words[i + 1].starts_with('='));
    if (key.size() == word.size() && has_equals) value = words[++i].substr(1);
    if (has_equals && value.empty() && i + 1 < words.size()) value = words[++i];
    if (is_one_of(key, slots)) {
      host.places = places_of(value, 0, line);
      host.is_counted = true;
    } else if (is_one_of(key, more)) {
      host.has_more = true;
    } else if (!is_one_of(key, most)) {
      line.wrong(fmt::format("'{}' is not understood: a host with slots=N or :N is", word));
    }
  }
}

struct HostLine {
  Host host;
  Line line;
};

std::vector<HostLine> lines_of(std::string_view text, const std::string& name) {
  std::vector<HostLine> all;
  std::size_t number = 0;
  for (std::string_view content : split(text, '\n')) {
    const Line line{name, ++number};
    const std::vector<std::string_view> words = split_at_blanks(content.substr(0, content.find('#')));
    if (words.empty()) continue;
    all.push_back({host_of(words.front(), line), line});
    read_more(all.back().host, words, line);
  }
  if (all.empty()) throw std::invalid_argument(name + ": has no hosts");
  return all;
}

}  // namespace

bool is_host_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_[]";
  return !name.empty() && name.find_first_not_of(allowed) == name.npos;
}

std::vector<Host> parse_host_lines(std::string_view text, const std::string& name) {
  std::vector<Host> hosts;
  for (HostLine& line : lines_of(text, name)) hosts.push_back(std::move(line.host));
  return hosts;
}

std::vector<Host> parse_hostfile(std::string_view text, const std::string& name) {
  std::vector<Host> hosts;
  std::map<std::string, std::size_t> known;
  std::size_t last = 0;
  for (auto& [host, line] : lines_of(text, name)) {
    const auto [place, is_new] = known.try_emplace(host.name, hosts.size());
    if (is_new) {
      hosts.push_back(std::move(host));
    } else {
      hosts[place->second].returns |= place->second != last;
      hosts[place->second].places += host.places;
      hosts[place->second].is_counted = true;
      hosts[place->second].has_more |= host.has_more;
    }
    last = place->second;
    if (hosts[place->second].places > most_places) line.wrong("too many processes on one host");
  }
  // Open MPI uses no node with slots=0.
  std::erase_if(hosts, [](const Host& host) { return host.places == 0; });
  if (hosts.empty()) throw std::invalid_argument(name + ": has no hosts");
  return hosts;
}

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
