// PAPI, loaded when it is asked for: nothing here is linked against it. And Marshal's own counts as its
// software-defined events, for any tool that reads PAPI: sde:::Marshal::packs and so on.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace marshal::counters {

// The calls that Marshal makes, as in papi.h.
struct Papi {
  int (*thread_init)(unsigned long (*)());
  int (*unregister_thread)();
  int (*name_to_code)(const char*, int*);
  int (*component_of)(int);
  int (*create_eventset)(int*);
  int (*add_event)(int, int);
  int (*start)(int);
  int (*read)(int, long long*);
  int (*stop)(int, long long*);
  int (*cleanup_eventset)(int);
  int (*destroy_eventset)(int*);
  char* (*strerror)(int);
};

// Names under which PAPI of the version that Marshal was built with is found.
std::span<const char* const> papi_file_names();

// Loads and initialises the first of these files that can be loaded; empty, with the reason, if none can. Refuses if
// the process has a PAPI already: a thread has one set of running events a component, and the program owns it. Refuses
// also another major version than that of papi.h, whose arguments may differ.
std::optional<Papi> load_papi(std::span<const char* const> file_names, std::string& why_not);

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
