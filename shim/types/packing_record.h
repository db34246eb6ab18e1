// The report's rows of datatypes: by layout what the engine packed, what the host packed and why, and what was not
// packed.
#pragma once

#include <cstdint>

#include "record/record.h"
#include "types/known_type.h"
#include "types/packing_bounds.h"

namespace marshal {

// Its bound is put into its row later, by put_bounds(). Measures nothing: the program may wait.
void add_layout(const SharedLayout& layout, LayoutRows& rows, PackingBounds& bounds);

// A type that the engine cannot pack.
void add_passed_on(const Datatype& type, LayoutRows& rows);

// Types that were packed by a first program until they were freed. Threads add without a lock, as in PackCalls.
struct BriefTypes {
  Relaxed<std::uint64_t> types;
  PackCalls by_engine[2];  // to pack, to unpack

  void add(const Datatype& type);
  void add(const BriefTypes& others);
};
void add_brief(const BriefTypes& brief, LayoutRows& rows);

// Types that were not read because the engine is off, for this reason, or (null) because they were rarely packed.
void add_unread(const PackCalls (&unread)[2], const char* why_off, LayoutRows& rows);

// Called last: committed types without a row get one, and the unused ones of them another.
void add_others(std::uint64_t unused, std::uint64_t all_commits, LayoutRows& rows);

}  // namespace marshal
