// Names for the call sites of a record: function, file and line if the module's file is here and has debug information;
// the function if it has symbols; else module and offset.
//
// "grid.c:120 in setup"; a site whose innermost frame has no name, or the same name as another site's, also says from
// where it was reached: "libio.so+0x12f0, from app.f90:9 in main".
// Lines of Python have their names already.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "record/record.h"

namespace marshal::report {

// The limits of the search. Sites beyond them keep the function's name, and `marshal report` finds the rest.
struct Effort {
  std::uint64_t largest_file = UINT64_MAX;                          // files of more bytes are not searched for lines
  std::chrono::nanoseconds time = std::chrono::nanoseconds::max();  // of the thread's work
  bool separate_files = true;  // look for debug information outside of the module's own file
  // The record is another user's, who may have written anything into it. Then only files are opened that the system or
  // this user owns, and no separate ones.
  bool is_foreign = false;
};
// At the end of a program, which waits for it.
inline constexpr Effort when_written{
    .largest_file = 32u << 20, .time = std::chrono::milliseconds(20), .separate_files = false};
inline constexpr Effort when_read{};
inline constexpr Effort when_read_of_others{
    .time = std::chrono::seconds(10), .separate_files = false, .is_foreign = true};

class SourcePlaces {
 public:
  explicit SourcePlaces(const Effort& effort);
  ~SourcePlaces();
  SourcePlaces(const SourcePlaces&) = delete;
  SourcePlaces& operator=(const SourcePlaces&) = delete;

  // "file:line in function", "function", or empty.
  std::string name(const Frame& frame);

 private:
  struct Module;
  struct Modules;
  std::unique_ptr<Modules> modules_;
};

// Names all sites except those that have a file and line already.
void name_sites(Record& record, const Effort& effort);

}  // namespace marshal::report
