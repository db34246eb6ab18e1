#include "profile/kept_traffic.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "base/small_file.h"
#include "profile/own_file.h"
#include "traffic/traffic_file.h"

namespace marshal::profile {
namespace {

constexpr std::string_view traffic_ending = ".traffic";
constexpr std::size_t most_lenders = 8;  // that are read

// NAME.ARGUMENTS.DIRECTORY.PROCESSES, without the traffic_ending; nothing for other names.
std::optional<KeptTraffic> read_kept_name(std::string_view name) {
  KeptTraffic kept;
  std::array<std::string_view, 3> parts;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos || dot == 0) return std::nullopt;
    *part = name.substr(dot + 1);
    name = name.substr(0, dot);
  }
  const auto& [arguments, directory, processes] = parts;
  const auto [end, error] = std::from_chars(processes.data(), processes.data() + processes.size(), kept.processes);
  if (error != std::errc() || end != processes.data() + processes.size() || kept.processes < 1) return std::nullopt;
  kept.stem = name;
  kept.arguments = arguments;
  kept.directory = directory;
  return kept;
}

// Keeps the bounds of the program with this stem, and of all.
void remove_oldest(const std::string& directory, const std::string& stem) {
  std::size_t files = 0;
  std::uint64_t of_program = 0, of_all = 0;
  for (const KeptTraffic& kept : kept_traffic_in(directory)) {
    const bool is_own = kept.stem == stem;
    if (is_own) ++files, of_program += kept.bytes;
    const bool is_over = is_own && (files > most_traffic_files || of_program > most_traffic_of_program);
    if (!is_over) of_all += kept.bytes;
    if (is_over || of_all > most_traffic_of_all) unlink(kept.path.c_str());
  }
}

// Why a file must not be used, as read_profile() refuses it; empty: it may.
std::string why_refused(const KeptTraffic& kept) {
  const OpenedFile opened = open_own_file(kept.path, static_cast<off_t>(most_traffic_bytes));
  return opened.why_not.empty() && opened.error != 0 ? std::strerror(opened.error) : opened.why_not;
}

// Nothing, with a line among the problems, for a file that cannot be used.
std::optional<traffic::Matrix> read_kept(const KeptTraffic& kept, std::vector<std::string>& problems) {
  if (const std::string why_not = why_refused(kept); !why_not.empty()) {
    problems.push_back("traffic " + kept.path + ": " + why_not + "; it is not read");
    return std::nullopt;
  }
  try {
    traffic::Matrix matrix = traffic::read_matrix(kept.path);
    if (matrix.job.processes() == static_cast<std::uint32_t>(kept.processes)) return matrix;
    problems.push_back("traffic " + kept.path + ": it is of another number of processes; it is not read");
  } catch (const traffic::TrafficFileError& error) {
    problems.push_back(std::string(error.what()) + " (`marshal profile forget` removes it)");
  }
  return std::nullopt;
}

double bytes_of(const traffic::Matrix& matrix) {
  double bytes = 0;
  for (const traffic::Sent& sent : matrix.sent) bytes += static_cast<double>(sent.bytes);
  return bytes;
}

// The newest of these, if there are at least two different ones and all sent nearly the same.
std::optional<std::pair<traffic::Matrix, std::string>> lend(const std::vector<KeptTraffic>& lenders,
                                                            std::vector<std::string>& problems) {
  if (lenders.size() < 2) return std::nullopt;
  std::optional<traffic::Matrix> newest;
  std::string path;
  std::size_t alike = 0;
  for (const KeptTraffic& kept : lenders) {
    auto matrix = read_kept(kept, problems);
    if (!matrix) continue;
    if (newest && !sent_alike(*newest, *matrix)) return std::nullopt;
    if (!newest) newest = std::move(*matrix), path = kept.path;
    ++alike;
  }
  if (alike < 2) return std::nullopt;
  return std::pair(std::move(*newest), path);
}

// The newest of each of the words that `word` gives.
template <class Word>
std::vector<KeptTraffic> newest_of_each(const std::vector<KeptTraffic>& all, Word word) {
  std::vector<KeptTraffic> newest;
  std::set<std::string> seen;
  for (const KeptTraffic& kept : all)
    if (newest.size() < most_lenders && seen.insert(word(kept)).second) newest.push_back(kept);
  return newest;
}

}  // namespace

std::string kept_traffic_path(const std::string& directory, const ProgramKey& key, int processes) {
  return directory + "/" + stem_of_program(key.program, key.build) + "." + key.arguments + "." + key.directory + "." +
         std::to_string(processes) + std::string(traffic_ending);
}

std::vector<KeptTraffic> kept_traffic_in(const std::string& directory) {
  std::vector<KeptTraffic> all;
  const auto is_traffic = [](std::string_view name) { return name.ends_with(traffic_ending) && name.front() != '.'; };
  for (const ListedFile& file : files_in(directory, is_traffic)) {
    const std::string name = name_in(file.path);
    auto kept = read_kept_name(std::string_view(name).substr(0, name.size() - traffic_ending.size()));
    if (!kept) continue;
    kept->path = file.path;
    kept->bytes = file.bytes;
    kept->written = file.written;
    all.push_back(std::move(*kept));
  }
  return all;
}

std::vector<KeptTraffic> kept_traffic_of(const std::string& directory, const ProgramKey& key) {
  std::vector<KeptTraffic> all = kept_traffic_in(directory);
  const std::string stem = stem_of_program(key.program, key.build);
  std::erase_if(all, [&](const KeptTraffic& kept) { return kept.stem != stem; });
  return all;
}

std::map<std::string, std::string> facts_of(const KeptTraffic& kept) {
  if (!why_refused(kept).empty()) return {};
  try {
    return traffic::TrafficReader(kept.path).job().facts;
  } catch (const traffic::TrafficFileError&) {
    return {};
  }
}

std::string keep_traffic(const std::string& directory, const ProgramKey& key, int processes, const std::string& file) {
  std::string problem, contents;
  const Descriptor in = open_own_directory(directory, problem);
  if (!in) return problem;
  const std::string path = kept_traffic_path(directory, key, processes);
  struct stat facts {};
  if (stat(file.c_str(), &facts) == 0 && static_cast<std::uint64_t>(facts.st_size) > most_traffic_bytes) {
    unlink(path.c_str());
    return {};
  }
  if (const std::string why_not = read_small_file(file, contents, most_traffic_bytes); !why_not.empty())
    return "traffic " + file + " cannot be kept: " + why_not;
  if (const int error = put_file(in, name_in(path), contents); error != 0)
    return because(path, "cannot be written", error);
  remove_oldest(directory, stem_of_program(key.program, key.build));
  return {};
}

bool sent_alike(const traffic::Matrix& one, const traffic::Matrix& other) {
  if (one.job.processes() != other.job.processes()) return false;
  const double all_one = bytes_of(one), all_other = bytes_of(other);
  if (all_one == 0 || all_other == 0) return all_one == all_other;
  double difference = 0;
  for (std::uint32_t process = 0; process < one.job.processes(); ++process) {
    const auto a = one.of(process), b = other.of(process);
    for (std::size_t i = 0, k = 0; i < a.size() || k < b.size();) {
      const bool has_a = i < a.size() && (k == b.size() || a[i].peer <= b[k].peer);
      const bool has_b = k < b.size() && (i == a.size() || b[k].peer <= a[i].peer);
      difference += std::abs((has_a ? static_cast<double>(a[i].bytes) / all_one : 0) -
                             (has_b ? static_cast<double>(b[k].bytes) / all_other : 0));
      i += has_a ? 1 : 0;
      k += has_b ? 1 : 0;
    }
  }
  return difference <= 0.1;
}

FoundTraffic find_traffic(const std::string& directory, const ProgramKey& key, int processes) {
  FoundTraffic found;
  std::vector<KeptTraffic> all = kept_traffic_of(directory, key);
  std::erase_if(all, [&](const KeptTraffic& kept) { return kept.processes != processes; });
  const auto is_own = [&](const KeptTraffic& kept) {
    return kept.arguments == key.arguments && kept.directory == key.directory;
  };
  if (const auto own = std::find_if(all.begin(), all.end(), is_own); own != all.end()) {
    if (auto matrix = read_kept(*own, found.problems)) {
      found.traffic = std::move(*matrix);
      found.path = own->path;
      return found;
    }
    all.erase(own);
  }
  std::vector<KeptTraffic> with_these_arguments;
  for (const KeptTraffic& kept : all)
    if (kept.arguments == key.arguments) with_these_arguments.push_back(kept);
  auto lent = lend(newest_of_each(with_these_arguments, [](const KeptTraffic& kept) { return kept.directory; }),
                   found.problems);
  found.lent_by = "runs in other directories";
  if (!lent && with_these_arguments.empty()) {
    lent = lend(newest_of_each(all, [](const KeptTraffic& kept) { return kept.arguments; }), found.problems);
    found.lent_by = "runs with other arguments";
  }
  if (!lent) {
    found.lent_by.clear();
    return found;
  }
  found.traffic = std::move(lent->first);
  found.path = lent->second;
  return found;
}

}  // namespace marshal::profile
