#include "counters/papi.h"

#include <fmt/format.h>
#include <papi.h>
// PAPI has libsde from version 6.0.0.1 on; built beside an older one, Marshal exports nothing.
#if __has_include(<sde_lib.h>)
#include <sde_lib.h>
#endif

#include "base/dynamic_library.h"
#include "base/immortal.h"

namespace marshal::counters {
namespace {

void find_all(DynamicLibrary& library, Papi& papi) {
  library.find("PAPI_thread_init", papi.thread_init);
  library.find("PAPI_unregister_thread", papi.unregister_thread);
  library.find("PAPI_event_name_to_code", papi.name_to_code);
  library.find("PAPI_get_event_component", papi.component_of);
  library.find("PAPI_create_eventset", papi.create_eventset);
  library.find("PAPI_add_event", papi.add_event);
  library.find("PAPI_start", papi.start);
  library.find("PAPI_read", papi.read);
  library.find("PAPI_stop", papi.stop);
  library.find("PAPI_cleanup_eventset", papi.cleanup_eventset);
  library.find("PAPI_destroy_eventset", papi.destroy_eventset);
  library.find("PAPI_strerror", papi.strerror);
}

constexpr int major_of(int version) { return PAPI_VERSION_MAJOR(version); }

// PAPI refuses any version but its own, to the minor number.
std::string initialise(DynamicLibrary& library, Papi& papi) {
  int (*initialise_library)(int);
  int (*option)(int, PAPI_option_t*);
  library.find("PAPI_library_init", initialise_library);
  library.find("PAPI_get_opt", option);
  find_all(library, papi);
  if (library.missing() != nullptr) return "functions of PAPI are missing in it";
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
  static const Immortal<std::string> versioned(
      fmt::format("libpapi.so.{}.{}", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION))),
      major(fmt::format("libpapi.so.{}", PAPI_VERSION_MAJOR(PAPI_VERSION)));
  static const char* const names[] = {(*versioned).c_str(), (*major).c_str(), "libpapi.so"};
  return names;
}

std::optional<Papi> load_papi(std::span<const char* const> file_names, std::string& why_not) {
  if (program_has("PAPI_library_init")) {
    why_not = "the program uses PAPI itself, and keeps its counters";
    return std::nullopt;
  }
  DynamicLibrary library(file_names);
  if (!library.is_loaded()) {
    why_not = fmt::format("PAPI cannot be loaded ({})", library.problem());
    return std::nullopt;
  }
  Papi papi{};
  const std::string wrong = initialise(library, papi);
  if (wrong.empty()) return papi;  // stays loaded until the process ends
  library.unload();
  why_not = fmt::format("{} is of no use: {}", library.file(), wrong);
  return std::nullopt;
}

#if __has_include(<sde_lib.h>)
namespace {

// PAPI looks for libsde's functions among the symbols that the whole program sees.
bool libsde_in_view() {
  if (program_has("papi_sde_init")) return true;
  if (!program_has("PAPI_library_init")) return false;
  const DynamicLibrary libsde({"libsde.so.1", "libsde.so"}, DynamicLibrary::Symbols::for_all);
  return libsde.is_loaded() && program_has("papi_sde_init");
}

}  // namespace

bool export_software_events(std::span<const SoftwareEvent> events) {
  if (!libsde_in_view()) return false;
  DynamicLibrary program = DynamicLibrary::program();
  decltype(papi_sde_init)* const init = program["papi_sde_init"];
  decltype(papi_sde_register_counter_cb)* const add = program["papi_sde_register_counter_cb"];
  decltype(papi_sde_describe_counter)* const describe = program["papi_sde_describe_counter"];
  if (program.missing() != nullptr) return false;
  const papi_handle_t marshal = init("Marshal");
  if (marshal == nullptr) return false;
  for (const SoftwareEvent& event : events) {
    const int mode = PAPI_SDE_RO | (event.instant ? PAPI_SDE_INSTANT : PAPI_SDE_DELTA);
    if (add(marshal, event.name, mode, PAPI_SDE_long_long, event.value, nullptr) == SDE_OK)
      describe(marshal, event.name, event.description);
  }
  return true;
}
#else
bool export_software_events(std::span<const SoftwareEvent>) { return false; }
#endif

}  // namespace marshal::counters
