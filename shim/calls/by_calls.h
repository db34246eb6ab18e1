// Tells whether messages and collectives of derived datatypes go by calls: the engine packs a buffer with gaps, the
// host's own function gets contiguous elements, and the engine unpacks what came. For hosts whose pipeline lets nobody
// in.
#pragma once

#include <string>
#include <string_view>

#include "base/relaxed.h"
#include "settings/settings.h"

namespace marshal::calls {

namespace detail {
inline constinit Relaxed<bool> on;
}

// From MPI_Init to MPI_Finalize, where that was chosen. Entry points ask it in each call.
[[gnu::always_inline]] inline bool are_on() { return detail::on; }

// In MPI_Init, on the settings in force and after messages::begin(): true if this process could do without the host's
// pipeline, as the settings say, and the trial came out right. Local.
bool may_begin();
// All processes of the job may begin.
void begin_together();
// They do not, or only this process is known.
void stay_off();
// In MPI_Finalize, once requests that the program has freed are the host's.
void end();

// The report says this of derived datatypes in messages: "engine" in the host's pipeline, "calls: REASON" at the calls,
// and else why they are the host's. Constant from MPI_Init on.
const char* way_of_messages();

// True if MARSHAL_MESSAGES asks for what cannot be had.
bool is_missed();

// True if this process asks for messages by calls. `takes_bytes`: the host's receives of datatypes take bytes.
constexpr bool asks_for_calls(MessageEngine wanted, bool takes_bytes, bool has_pipeline) {
  return takes_bytes && (wanted == MessageEngine::calls || (wanted == MessageEngine::automatic && !has_pipeline));
}

// Job::messages, where they go by calls: the reason is that of the pipeline being off.
inline std::string way_by_calls(MessageEngine wanted, std::string_view why_no_pipeline) {
  return std::string("calls: ") +
         std::string(wanted == MessageEngine::calls ? "MARSHAL_MESSAGES=calls" : why_no_pipeline);
}

}  // namespace marshal::calls
