#include "profile/kept_traffic.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/small_file.h"
#include "base/split_text.h"
#include "profile/learning.h"
#include "profile/own_file.h"
#include "traffic/traffic_file.h"

namespace marshal::profile {
namespace {

constexpr std::string_view traffic_ending = ".traffic";
constexpr std::size_t most_lenders = 8;  // read for one run

// False for other names than NAME.ARGUMENTS.DIRECTORY.PROCESSES.
bool read_kept_name(KeptTraffic& kept) {
  kept.stem = stem_in(kept.path);
  std::array<std::string, 3> parts;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    const std::size_t dot = kept.stem.rfind('.');
    if (dot == kept.stem.npos || dot == 0) return false;
    *part = kept.stem.substr(dot + 1);
    kept.stem.resize(dot);
  }
  auto& [arguments, directory, processes] = parts;
  kept.arguments = std::move(arguments);
  kept.directories = {std::move(directory)};
  return read_number(processes, kept.processes) && kept.processes > 0;
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

// Nothing, with a line among the problems, for a file that cannot be used.
std::optional<traffic::Matrix> read_kept(const KeptTraffic& kept, std::vector<std::string>& problems) {
  if (const std::string why_not = why_not_read(kept.path, most_traffic_bytes); !why_not.empty()) {
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

struct ReadTraffic : KeptTraffic {
  traffic::Matrix traffic{};
};

// By sender and receiver.
std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, double>> bytes_of(const traffic::Matrix& matrix) {
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, double>> bytes;
  for (std::uint32_t process = 0; process < matrix.job.processes(); ++process)
    for (const traffic::Sent& sent : matrix.of(process))
      bytes.push_back({{process, sent.peer}, static_cast<double>(sent.bytes)});
  return bytes;
}

}  // namespace

std::string kept_traffic_path(const std::string& directory, const ProgramKey& key, int processes) {
  return directory + "/" + stem_of_program(key.program, key.build) + "." + key.arguments + "." + key.directory + "." +
         std::to_string(processes) + std::string(traffic_ending);
}

std::vector<KeptTraffic> kept_traffic_in(const std::string& directory) {
  std::vector<KeptTraffic> all;
  for (const ListedFile& file : files_in(directory, traffic_ending))
    if (KeptTraffic kept{file}; read_kept_name(kept)) all.push_back(std::move(kept));
  return all;
}

std::map<std::string, std::string> facts_of(const KeptTraffic& kept) {
  if (!why_not_read(kept.path, most_traffic_bytes).empty()) return {};
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
  return one.job.processes() == other.job.processes() && alike(bytes_of(one), bytes_of(other));
}

FoundTraffic find_traffic(const std::string& directory, const ProgramKey& key, int processes) {
  FoundTraffic found;
  std::vector<KeptTraffic> taught = kept_traffic_in(directory);
  const std::string stem = stem_of_program(key.program, key.build);
  std::erase_if(taught, [&](const KeptTraffic& kept) { return kept.stem != stem || kept.processes != processes; });
  std::ranges::reverse(taught);  // oldest first
  const auto own = std::ranges::find_if(
      taught, [&](const KeptTraffic& kept) { return was_taught_by(kept, key.arguments, key.directory); });
  if (own != taught.end()) {
    if (auto matrix = read_kept(*own, found.problems)) return {std::move(*matrix), own->path, {}, {}};
    taught.erase(own);
  }
  // A file that cannot be read says nothing of its run.
  std::vector<ReadTraffic> lenders;
  for (const KeptTraffic& kept : std::span(taught).last(std::min(taught.size(), most_lenders)))
    if (auto matrix = read_kept(kept, found.problems)) lenders.push_back({kept, std::move(*matrix)});
  const auto agree = [](const ReadTraffic& newest, const ReadTraffic& other) {
    return &newest == &other || sent_alike(newest.traffic, other.traffic);
  };
  const auto lender = find_lender(std::span<const ReadTraffic>(lenders), key.arguments, agree);
  if (lender.entry == nullptr) return found;
  found.traffic = lender.entry->traffic;
  found.path = lender.entry->path;
  found.lent_by = "runs" + std::string(lender.who);
  return found;
}

}  // namespace marshal::profile
