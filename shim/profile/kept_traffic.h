// Keeps what the runs of a program sent, beside its profile, for `marshal launch`: a traffic file for each key.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/own_file.h"
#include "profile/program_key.h"
#include "traffic/traffic.h"

namespace marshal::profile {

// Bounds: one file, all files of a program and their number, and all files of a directory. The oldest go.
inline constexpr std::uint64_t most_traffic_bytes = 16 << 20, most_traffic_of_program = 64 << 20,
                               most_traffic_of_all = 512 << 20;
inline constexpr std::size_t most_traffic_files = 64;

struct KeptTraffic : ListedFile {
  std::string stem{};                      // stem_of_program()
  std::string arguments{};                 // a hash, as in ProgramKey
  std::vector<std::string> directories{};  // the same; one
  int processes = 0;
};
// NAME-BUILD.ARGUMENTS.DIRECTORY.PROCESSES.traffic
std::string kept_traffic_path(const std::string& directory, const ProgramKey& key, int processes);
// The files in a directory that have such names, newest first.
std::vector<KeptTraffic> kept_traffic_in(const std::string& directory);

// What the file says of its run: "arguments", "directory", "job" (marshal-traffic(5)). Nothing if it cannot be read.
std::map<std::string, std::string> facts_of(const KeptTraffic& kept);

// Keeps a copy of the traffic file `file`, in the place of what an earlier run left. Two jobs may do so at once: one of
// the two files stays. Returns why it failed, as one line; empty: done. A file that is too large is not kept, and what
// an earlier run left goes.
std::string keep_traffic(const std::string& directory, const ProgramKey& key, int processes, const std::string& file);

struct FoundTraffic {
  traffic::Matrix traffic;  // without processes: nothing is known
  std::string path;
  std::string lent_by;                // "runs in other directories"; empty: a run with this key
  std::vector<std::string> problems;  // one line for each file that is refused
};
// Finds what a run of the program with this key is expected to send. Where the directory is new, other runs may lend
// what they taught (learning.h).
FoundTraffic find_traffic(const std::string& directory, const ProgramKey& key, int processes);

// True if the bytes are alike by pairs of processes (learning.h).
bool sent_alike(const traffic::Matrix& one, const traffic::Matrix& other);

}  // namespace marshal::profile
