// The file that says where each process of a node stands: STEM.nodeN.running. doc/RUNNING.md has its form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "watch/proc_files.h"
#include "watch/slots.h"

namespace marshal::watch {

// Calls by their numbers: the name, and the parts of a slot that are theirs.
struct Calls {
  enum : unsigned char { communicator = 1, number = 2, peer = 4, tag = 8 };
  std::span<const char* const> names;
  std::span<const unsigned char> parts;
};

// Constant while the thread runs.
struct Job {
  std::string program, id, host, stem;  // stem: absolute, without ".nodeN.running"
  std::string quoted_stem;              // as a word of a shell
  std::uint64_t run = 0;
  int node = 0, nodes = 1, processes = 0;  // of the job
  std::uint64_t seconds = 300;             // MARSHAL_WATCH
  Calls calls{};
  bool is_of_array = false;                      // other jobs beside it run the same program
  int any_source = 0, no_peer = 0, any_tag = 0;  // the host's numbers
};

// The thread remembers this of a process, and of its threads, from look to look.
struct SeenThread {
  std::uint64_t moves = 0;
  std::uint32_t polls = 0, looks = 0;  // looks: for so many it has not moved
  std::uint32_t polled = 0;            // at which of these it had polled; 0: at none
  bool is_polling = false, is_there = false;
};
struct SeenProcess {
  std::array<SeenThread, std::tuple_size_v<decltype(Chunk::slots)>> threads{};
  ProcessFacts at_first{}, now{};
  bool can_be_asked = false, is_gone = false;
};

struct Picture {
  std::span<const Chunk> chunks;
  std::span<const SeenProcess> seen;
  std::uint64_t written = 0, age = 0, still = 0;  // seconds; since 1970
};

// True if no file should be written, since its file system is a server's in user space (FUSE).
bool is_in_user_space(const Job& job) noexcept;
// Writes it whole, or not at all. Never follows a link. Only one thread may call these.
bool write_running_file(const Job& job, const Picture& picture) noexcept;
void remove_running_file(const Job& job) noexcept;

// The first lines of such a file.
struct Head {
  std::array<char, 256> program{}, job{}, host{};
  unsigned long long run = 0, seconds = 0, process_names = 0, written = 0, age = 0, still = 0;
  int node = 0, nodes = 0, process = 0;  // process: of the thread that wrote it
  bool is_own = false;                   // this user's
};
// False if it is no such file. It may be anybody's.
bool read_head(const char* path, Head& head) noexcept;

using FilePath = std::array<char, 4096>;
// STEM, more, and ".nodeN.running".
FilePath running_path(std::string_view stem, std::string_view more, int node) noexcept;

// Files that a run left which did not reach the end of MPI_Finalize: it was killed, or ended by itself.

// Endings of files of node 0: of any, and of a run that a later one has named.
inline constexpr std::string_view running_ending = ".node0.running", told_mark = "-over",
                                  told_ending = "-over.node0.running";

// True if nobody writes it any more: its thread's process, of this machine and this namespace of process numbers, is no
// more, and nothing was written for three times as long as would have been. `now` in seconds since 1970.
bool is_over(const Head& file, std::string_view own_host, std::uint64_t now) noexcept;

// In the folder of `stem`: the newest file of a run of this program that is over. Its files become
// STEM-over.nodeN.running, and those of all other such runs are removed. So each run is found once, and one is kept.
// False if there is none; `file` and `its_stem` are of the one that was found.
bool take_left_file(std::string_view stem, std::string_view program, std::string_view own_host, std::uint64_t own_run,
                    std::uint64_t now, Head& file, std::array<char, 4096>& its_stem) noexcept;

}  // namespace marshal::watch
