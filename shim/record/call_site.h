// A place in the program: an MPI call and the frames above it.
//
// A frame is a module (path of the executable or shared library) and an offset into it. So it is the same in every
// process of the job, wherever the loader placed the module. A frame of Python is a file, a function and a line. Names
// come later: `symbol` is for the reader of the report and no part of the identity.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "record/fields.h"

namespace marshal::report {

struct Frame {
  std::string module;
  std::uint64_t offset = 0;  // of the return address: its address in the module's file, whatever was loaded where
  // Of Python: `module` is the source file then, and there is no offset. The qualified name, as "Grid.exchange".
  std::string function{};
  std::uint64_t line = 0;

  bool is_python() const { return line != 0; }
  auto operator<=>(const Frame&) const = default;
};

struct CallSite {
  std::string call;           // "MPI_Comm_split"
  std::vector<Frame> frames;  // innermost first; empty: call sites were off, or could not be walked

  MARSHAL_FIELDS(call, frames);
  auto operator<=>(const CallSite&) const = default;
};

std::uint64_t hash_of(const CallSite& site);

// "app+0x1234", or of Python "halo.py:18 in exchange".
std::string place_text(const Frame& frame);
// The innermost frame's, or empty without frames.
std::string place_text(const CallSite& site);
// The symbol, or where there is none, the place.
std::string name_or_place(const std::string& symbol, const CallSite& site);

}  // namespace marshal::report
