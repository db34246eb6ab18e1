// The run as `marshal launch` started it: the key under which its traffic is kept, and the order of the ranks that was
// asked of the launcher. Launchers ignore orders, and hostfiles are wrong: so it is compared with where the ranks are.
#pragma once

#include <cstdint>
#include <string>

#include "profile/launch_note.h"
#include "record/record.h"

namespace marshal {

// On rank 0: the note that MARSHAL_LAUNCH names, as text for adopt_launch_note(); empty: there is none. A note that
// cannot be used is one line.
std::string launch_note_of_run();
void adopt_launch_note(const std::string& text);

// After the nodes are known: compares them with the order asked for. The same on all processes; rank 0 says what
// differs in one line.
void compare_order();

bool is_launched();
// The key of the program as it was launched, else of this process.
const profile::ProgramKey& key_of_traffic();

// The node of a process in the order that the launcher would have given; its node where no other order was asked for.
std::int32_t node_in_given_order(std::int32_t lpid);

void put_order_into(report::Job& job);

}  // namespace marshal
