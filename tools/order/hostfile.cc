#include "tools/order/hostfile.h"

#include <fmt/format.h>

#include <charconv>
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

std::int32_t places_of(std::string_view text, const Line& line) {
  std::int32_t places = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), places);
  if (error != std::errc() || end != text.data() + text.size() || places < 1 || places > most_places)
    line.wrong(fmt::format("'{}' is no number of processes", text));
  return places;
}

bool is_host_name(std::string_view name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_@[]";
  return !name.empty() && name.find_first_not_of(allowed) == name.npos;
}

Host host_of(const std::vector<std::string_view>& words, const Line& line) {
  Host host{.name = std::string(words.front()), .places = 1, .is_counted = false};
  if (const std::size_t colon = words.front().find(':'); colon != std::string_view::npos) {
    host.name = words.front().substr(0, colon);
    host.places = places_of(words.front().substr(colon + 1), line);
    host.is_counted = true;
  }
  if (!is_host_name(host.name)) line.wrong(fmt::format("'{}' is no host name", host.name));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string_view key = words[i].substr(0, equals);
    const std::string_view value = equals == words[i].npos ? std::string_view() : words[i].substr(equals + 1);
    if (key == "slots") {
      host.places = places_of(value, line);
      host.is_counted = true;
    } else if (key == "ifname" || key == "user" || key == "username" || key == "port" || key == "binding") {
      host.has_more = true;
    } else if (key != "max_slots" && key != "max-slots") {
      line.wrong(fmt::format("'{}' is not understood: a host with slots=N or :N is", words[i]));
    }
  }
  return host;
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
    if (!words.empty()) all.push_back({host_of(words, line), line});
  }
  if (all.empty()) throw std::invalid_argument(name + ": has no hosts");
  return all;
}

}  // namespace

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
  return hosts;
}

}  // namespace marshal::tools
