// The objects that a program makes and does not free, by place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/call_site.h"
#include "record/record.h"

namespace marshal::report {

// Objects of one place: communicators, windows and files, or those of a record's other table.
struct ObjectsOfPlace {
  const CallSite* site;
  const std::string* symbol;
  Spread made, alive, most_alive;
};

// The objects of all places; the place comes first that has most alive in a process.
std::vector<ObjectsOfPlace> objects_by_place(const Record& record);
// From so many objects of a place in a process on, it matters how `call` makes them: a hundred communicators, windows
// or files, a thousand others.
std::uint64_t many_of(std::string_view call);
// The places of which a process had that many left when MPI_Finalize began.
std::vector<ObjectsOfPlace> not_freed(const Record& record);

// True if a process had three quarters of the communicators in use that the MPI library lets it have.
bool is_near_limit(const Record& record);

// Tells what the program could do in place of making its communicators there; empty: nothing was seen.
std::string better_way(const Record& record, const CallSite& site, const CommunicatorSite& made);

}  // namespace marshal::report
