// The begin and the end of messages by calls.
#pragma once

namespace marshal::calls {

// In MPI_Init, on the settings in force and after messages::begin(): true if this process could do without the host's
// pipeline, as the settings say, and the trial came out right. Local.
bool may_begin();
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
