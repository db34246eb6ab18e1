// The report's rows of datatypes: what the engine packed by layout, what the host packed and why, and what nobody did.
#pragma once

#include <cstdint>

#include "host/type_book.h"
#include "report/record.h"

namespace marshal {

using LayoutRows = decltype(report::Record::datatypes);

void add_layout(const SharedLayout& layout, LayoutRows& rows);

// A type that the engine cannot pack.
void add_passed_on(const Datatype& type, LayoutRows& rows);

// Types that were not read: since the engine is off, for this reason, or (null) since they were rarely packed.
void add_unread(const PackCalls (&unread)[2], const char* why_off, LayoutRows& rows);

// Called last: what was committed and has no row yet gets one.
void add_never_packed(const CommittedKinds& kinds, LayoutRows& rows);

}  // namespace marshal
