// The report's rows of datatypes: by layout what the engine packed, what the host packed and why, and what was not
// packed.
#pragma once

#include <cstdint>

#include "host/type_book.h"
#include "report/record.h"

namespace marshal {

using LayoutRows = decltype(report::Record::datatypes);

void add_layout(const SharedLayout& layout, LayoutRows& rows);

// A type that the engine cannot pack.
void add_passed_on(const Datatype& type, LayoutRows& rows);

// Types that were not read because the engine is off, for this reason, or (null) because they were rarely packed.
void add_unread(const PackCalls (&unread)[2], const char* why_off, LayoutRows& rows);

// Called last: committed types without a row get one.
void add_never_packed(const CommittedKinds& kinds, std::uint64_t all_commits, LayoutRows& rows);

}  // namespace marshal
