// Datatypes, groups, operations, keyvals or persistent requests that one place of the program makes. The requests of
// all nonblocking calls are counted in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "record/fields.h"
#include "record/spread.h"

namespace marshal::report {

// A sample for each process that made any there.
struct ObjectSite {
  Spread made{};
  Spread alive{};        // not freed when the record was taken; no sample: nobody knows
  Spread most_alive{};   // at once; no sample: nobody counted it
  std::string symbol{};  // as of a communicator's site

  MARSHAL_FIELDS(symbol, made, alive, most_alive);
  void merge(const ObjectSite& other) { merge_fields(*this, other); }
  // Adds one more place of this process that has the same row: without call sites, all places of a call have. The row
  // keeps one sample. How many of all places were alive at once is not known then.
  void add_place(std::uint64_t made_there, std::uint64_t alive_there, std::optional<std::uint64_t> most_alive_there);
  auto operator<=>(const ObjectSite&) const = default;
};

// In the place of a call: all that make a request which is no persistent one.
inline constexpr const char* nonblocking_calls = "nonblocking calls";

// Names what a call makes: "datatypes", "groups", "windows", …
std::string_view objects_of(std::string_view call);
// The call that frees those: "MPI_Type_free".
std::string_view call_that_frees(std::string_view call);

}  // namespace marshal::report
