// A picture of a run: what the watching threads of its nodes wrote into files *.running (version 1), a file a node.
// Anybody may have written such a file: numbers have bounds, and a line that is not understood refuses the file. Texts
// are as they came.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/call_site.h"

namespace marshal::tools::stands {

enum class How : unsigned char { in, poll, out };  // poll: outside, between tests without success
struct Thread {
  How how = How::out;
  std::int64_t seconds = 0;                    // since it moved
  std::string call;                            // for `out` the last one; "-": none yet
  std::uint64_t communicator = 0, number = 0;  // its identity, and the collective call's number there; 0: not known
  std::string peer, tag;                       // a number, "any", "null" or "-"
  std::vector<report::Frame> frames = {};      // innermost first
};
struct Member {                                         // of a communicator
  std::uint64_t communicator = 0, count = 0, size = 0;  // count: collective calls that the process has entered
  std::int64_t rank = -1;                               // -1: not known
  std::string made_by;
  std::optional<report::Frame> made_at;
};
enum class Life : unsigned char { gone, ended, finished, unseen, alive };  // STATE; alive: a letter
struct Process {
  std::uint64_t rank = 0, node = 0, pid = 0;
  char state = '?';  // the letter that Linux has for it
  Life life = Life::alive;
  std::int64_t level = -1;
  std::uint64_t more = 0;  // threads of which nothing else is known
  std::vector<Member> communicators = {};
  std::vector<Thread> threads = {};
  bool is_over() const { return life < Life::unseen; }  // it never calls MPI again
};
struct Node {
  std::string host;
  std::int64_t written = 0, age = 0;  // seconds since 1970, and since the run began
  bool is_cut = false;                // its last processes are not known
};
struct Job {
  std::string program, id, run;
  std::uint64_t world = 0, nodes = 0;
  std::int64_t watch = 0;
  bool operator==(const Job&) const = default;
};
struct Picture {
  Job job;
  bool is_foreign = false;  // another user than this one and root wrote a part
  std::map<std::uint64_t, Node> nodes;
  std::map<std::uint64_t, Process> processes;
};

// Adds a file's text to the picture of its run, which may be a new one. Returns why not, or nothing. The newer of two
// files of a node counts.
std::string add_file(std::string_view text, bool is_foreign, std::vector<Picture>& pictures);

}  // namespace marshal::tools::stands
