// Keeps what the runs of a program sent, beside its profile, for `marshal launch`: a traffic file for each key.
#pragma once

#include <cstdint>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/program_key.h"
#include "traffic/traffic.h"

namespace marshal::profile {

// Bounds: one file, all files of a program and their number, and all files of a directory. The oldest go.
inline constexpr std::uint64_t most_traffic_bytes = 16 << 20, most_traffic_of_program = 64 << 20,
                               most_traffic_of_all = 512 << 20;
inline constexpr std::size_t most_traffic_files = 64;

struct KeptTraffic {
  std::string path;
  std::string stem;                  // stem_of_program()
  std::string arguments, directory;  // hashes, as in ProgramKey
  int processes = 0;
  std::uint64_t bytes = 0;
  std::time_t written = 0;
};
// NAME-BUILD.ARGUMENTS.DIRECTORY.PROCESSES.traffic
std::string kept_traffic_path(const std::string& directory, const ProgramKey& key, int processes);
// The files in a directory that have such names, newest first. With a key: the files of that program only.
std::vector<KeptTraffic> kept_traffic_in(const std::string& directory);
std::vector<KeptTraffic> kept_traffic_of(const std::string& directory, const ProgramKey& key);

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
// Finds what a run of the program with this key is expected to send. Where the directory is new, runs in at least two
// others with these arguments may lend what they taught, else runs with at least two different arguments. All of these
// must have sent nearly the same.
FoundTraffic find_traffic(const std::string& directory, const ProgramKey& key, int processes);

// True if the shares of the pairs of processes differ by a tenth in all at most.
bool sent_alike(const traffic::Matrix& one, const traffic::Matrix& other);

}  // namespace marshal::profile
