// The file that says where each process of a node stands: STEM.nodeN.running. doc/RUNNING.md has its form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

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

}  // namespace marshal::watch
