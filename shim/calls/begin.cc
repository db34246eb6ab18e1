#include "calls/begin.h"

#include <string>

#include "base/attempt.h"
#include "base/immortal.h"
#include "calls/by_calls.h"
#include "calls/carrier_types.h"
#include "calls/choice_of_way.h"
#include "calls/cut_ends.h"
#include "calls/plain_types.h"
#include "messages/message_engine.h"
#include "settings/settings_in_force.h"

namespace marshal::calls {
namespace {

constexpr const char* others_differ = "it does not do for all processes";
// The outcome of this process's trial; null where it came out right.
const char* off_because = others_differ;

std::string& way() {
  static Immortal<std::string> the;
  return *the;
}

}  // namespace

bool may_begin() {
  const bool takes_bytes = messages::may_go_by_calls();
  off_because = takes_bytes ? others_differ : messages::why_off();
  if (!asks_for_calls(settings().messages, takes_bytes, messages::why_off() == nullptr)) return false;
  off_because = try_out();
  if (off_because == nullptr && !begin_deliveries()) off_because = "no communicator";
  return off_because == nullptr;
}

void begin_together() {
  // Without them, blocks without gaps beside others are the host's.
  attempt(note_plain_types);
  way() = way_by_calls(settings().messages, messages::why_off());
  detail::on = true;
}

void stay_off() {
  end_deliveries();
  const bool is_asked_for =
      asks_for_calls(settings().messages, messages::may_go_by_calls(), messages::why_off() == nullptr);
  if (!is_asked_for && settings().messages != MessageEngine::calls) return;
  way() = off_because != nullptr ? off_because : others_differ;
}

void end() {
  detail::on = false;
  end_deliveries();
  free_carrier_types();
}

const char* way_of_messages() {
  if (!way().empty()) return way().c_str();
  return messages::why_off() == nullptr ? "engine" : messages::why_off();
}

bool is_missed() { return messages::is_missed() || (settings().messages == MessageEngine::calls && !are_on()); }

}  // namespace marshal::calls
