// The choice who packs datatypes in messages, and where. No MPI.
#pragma once

#include <string>
#include <string_view>

#include "settings/settings.h"

namespace marshal::calls {

// True if this process asks for messages by calls. `pipeline`: the engine is in the host's pipeline. `takes_bytes`: the
// host's receives of datatypes take bytes.
constexpr bool asks_for_calls(MessageEngine wanted, bool pipeline, bool takes_bytes) {
  if (!takes_bytes) return false;
  return wanted == MessageEngine::calls || (wanted == MessageEngine::automatic && !pipeline);
}

// Job::messages, where they go by calls: the reason is that of the pipeline being off.
inline std::string way_by_calls(MessageEngine wanted, std::string_view why_no_pipeline) {
  return std::string("calls: ") +
         std::string(wanted == MessageEngine::calls ? "MARSHAL_MESSAGES=calls" : why_no_pipeline);
}

}  // namespace marshal::calls
