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

// The first of these files that can be loaded, initialised; empty with the reason. Refused where the process has a PAPI
// already, since each thread has one set of running events a component, and that one belongs to the program; and where
// the major version is not the one of papi.h, since arguments may differ.
std::optional<Papi> load_papi(std::span<const char* const> file_names, std::string& why_not);

}  // namespace marshal::counters
