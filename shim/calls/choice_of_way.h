// The choice who packs datatypes in messages, and where. No MPI.
#pragma once

#include <string>
#include <string_view>

#include "settings/settings.h"

namespace marshal::calls {

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
