// Marshal's own counts as PAPI software-defined events, for any tool that reads PAPI: sde:::Marshal::packs and so on.
#pragma once

#include <span>

namespace marshal::counters {

struct SoftwareEvent {
  const char* name;
  const char* description;
  bool instant;               // a state, and not a count that only grows
  long long (*value)(void*);  // called by PAPI in any thread, at any time
};

// Registers the events if the process has PAPI or libsde. Call it as early as possible: PAPI looks for software-defined
// events once, when it is initialised. If only PAPI is there, this loads its libsde. False if neither is there, or no
// libsde is found; no message then, as nobody asked for events.
bool export_software_events(std::span<const SoftwareEvent> events);

}  // namespace marshal::counters
