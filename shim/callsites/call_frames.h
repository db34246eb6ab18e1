// The program's frames above an MPI call, and their names across processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "record/call_site.h"

namespace marshal {

// Places (python_place.h), innermost (in the program, right behind the MPI call) first: return addresses, or lines of
// Python.
struct CallFrames {
  static constexpr std::size_t most = 16;
  std::array<const void*, most> address{};
  std::size_t count = 0;

  std::span<const void* const> span() const { return {address.data(), count}; }
  auto operator<=>(const CallFrames&) const = default;
};

// As many as MARSHAL_CALLSITES asks for, and `most`. One frame needs only `caller`; more need a walk by libunwind,
// which takes about 100 ns where it has been before. Above a line of mpi4py's caller are lines of Python. Thread safe.
CallFrames frames_above(const void* caller, std::size_t most = CallFrames::most);

// The path of what the loader calls `name`; it has no name for the executable.
std::string module_path(const char* name);

// Modules and offsets, or files and lines of Python, the same in every process of the job.
report::CallSite site_of(const char* call, const CallFrames& frames);

// Where the program commits datatypes: a small number for each call site, which fits into a type's entry.
using CommitSite = std::uint16_t;  // 0: not known

// The site of a commit called at `caller`, a return address in the program. A place's first commit walks the stack,
// which takes ten microseconds and more. Later ones have their innermost frame alone: those above it may be others.
// Thread safe; 0 if call sites are off or there are too many.
CommitSite commit_site(const void* caller, bool is_first);

// Empty for 0. The first question about a site takes tens of microseconds, to find its library; the others nothing.
const report::CallSite& call_site_of(CommitSite number);

// Programs known to use the ranks of a grid in the communicator that the grid was made from, although they let MPI
// reorder it. With hosts that never reorder they run right. Their processes must keep their ranks.

// True if one of the frames belongs to such a program or library: the innermost may be a tool's that stands in front of
// Marshal. All processes that run the same code get the same answer. Thread safe.
bool mixes_ranks(const CallFrames& frames);

}  // namespace marshal
