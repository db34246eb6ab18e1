// PAPI, loaded when it is asked for: nothing here is linked against it.
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

}  // namespace marshal::counters
