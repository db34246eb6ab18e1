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

// Registers the events where the process has PAPI or its libsde in view, as early as possible: PAPI looks for
// software-defined events once, when it is initialised. Where only PAPI is there, its libsde is loaded. False when
// there is neither, or no libsde to be found; nothing is said then, as nobody asked.
bool export_software_events(std::span<const SoftwareEvent> events);

}  // namespace marshal::counters
