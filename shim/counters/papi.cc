#include "counters/papi.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <papi.h>

#include "base/dynamic_symbol.h"

namespace marshal::counters {
namespace {

bool find_all(void* library, Papi& papi) {
  return find_symbol(library, "PAPI_thread_init", papi.thread_init) &&
         find_symbol(library, "PAPI_unregister_thread", papi.unregister_thread) &&
         find_symbol(library, "PAPI_event_name_to_code", papi.name_to_code) &&
         find_symbol(library, "PAPI_get_event_component", papi.component_of) &&
         find_symbol(library, "PAPI_create_eventset", papi.create_eventset) &&
         find_symbol(library, "PAPI_add_event", papi.add_event) && find_symbol(library, "PAPI_start", papi.start) &&
         find_symbol(library, "PAPI_read", papi.read) && find_symbol(library, "PAPI_stop", papi.stop) &&
         find_symbol(library, "PAPI_cleanup_eventset", papi.cleanup_eventset) &&
         find_symbol(library, "PAPI_destroy_eventset", papi.destroy_eventset) &&
         find_symbol(library, "PAPI_strerror", papi.strerror);
}

constexpr int major_of(int version) { return PAPI_VERSION_MAJOR(version); }

// PAPI refuses any version but its own, to the minor number.
std::string initialise(void* library, Papi& papi) {
  int (*initialise_library)(int);
  int (*option)(int, PAPI_option_t*);
  if (!find_symbol(library, "PAPI_library_init", initialise_library) || !find_symbol(library, "PAPI_get_opt", option) ||
      !find_all(library, papi))
    return "functions of PAPI are missing in it";
  const int version = option(PAPI_LIB_VERSION, nullptr);
  if (major_of(version) != major_of(PAPI_VERSION))
    return fmt::format("it is version {}.{}, and this Marshal was built for {}.{}", major_of(version),
                       PAPI_VERSION_MINOR(version), major_of(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
  const int wanted = version & static_cast<int>(0xffff0000), got = initialise_library(wanted);
  if (got != wanted) {
    const char* text = papi.strerror(got);
    return fmt::format("it cannot be initialised ({})", text == nullptr ? std::to_string(got) : text);
  }
  return {};
}

}  // namespace

std::span<const char* const> papi_file_names() {
  static const std::string versioned = fmt::format("libpapi.so.{}.{}", PAPI_VERSION_MAJOR(PAPI_VERSION),
                                                   PAPI_VERSION_MINOR(PAPI_VERSION)),
                           major = fmt::format("libpapi.so.{}", PAPI_VERSION_MAJOR(PAPI_VERSION));
  static const char* const names[] = {versioned.c_str(), major.c_str(), "libpapi.so"};
  return names;
}

std::optional<Papi> load_papi(std::span<const char* const> file_names, std::string& why_not) {
  if (dlsym(RTLD_DEFAULT, "PAPI_library_init") != nullptr) {
    why_not = "the program has PAPI itself, and its counters are left to it";
    return std::nullopt;
  }
  void* library = nullptr;
  std::string file, first_error;
  for (const char* name : file_names) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    file = name;
    if (library != nullptr) break;
    if (const char* error = dlerror(); first_error.empty() && error != nullptr) first_error = error;
  }
  if (library == nullptr) {
    why_not = fmt::format("PAPI cannot be loaded ({})", first_error);
    return std::nullopt;
  }
  Papi papi{};
  const std::string wrong = initialise(library, papi);
  if (wrong.empty()) return papi;  // stays loaded until the process ends
  dlclose(library);
  why_not = fmt::format("{} is of no use: {}", file, wrong);
  return std::nullopt;
}

}  // namespace marshal::counters
