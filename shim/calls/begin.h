// The begin and the end of messages by calls.
#pragma once

namespace marshal::calls {

// In MPI_Init, on the settings in force and after messages::begin(): true if this process could do without the host's
// pipeline, as the settings say, and the trial came out right. Local.
bool may_begin();
// Sends messages to this process itself, on a communicator of Marshal's own, packed on one side and of a datatype on
// the other: does the host take packed messages at its calls as the standard says? Null where they came out right; else
// why not. Local. Errors reach no handler of the program.
const char* try_out();
// All processes of the job may begin.
void begin_together();
// They do not, or only this process is known.
void stay_off();
// In MPI_Finalize, once requests that the program has freed are the host's (left_requests.h).
void end();

// The report says this of derived datatypes in messages: "engine" in the host's pipeline, "calls: REASON" at the calls,
// and else why they are the host's. Constant from MPI_Init on.
const char* way_of_messages();

// True if MARSHAL_MESSAGES asks for what cannot be had.
bool is_missed();

}  // namespace marshal::calls
