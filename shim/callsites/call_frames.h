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

// Modules and offsets, or files and lines of Python, the same in every process of the job.
report::CallSite site_of(const char* call, const CallFrames& frames);

}  // namespace marshal
