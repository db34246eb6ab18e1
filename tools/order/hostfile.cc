#include "tools/order/hostfile.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>

#include "base/split_text.h"

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

}  // namespace marshal::tools
