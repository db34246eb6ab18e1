#include "counters/software_events.h"

// PAPI has libsde from version 6.0.0.1 on; built beside an older one, Marshal exports nothing.
#if __has_include(<sde_lib.h>)

#include <sde_lib.h>

#include "base/dynamic_library.h"

namespace marshal::counters {
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

}  // namespace marshal::counters

#else

namespace marshal::counters {

bool export_software_events(std::span<const SoftwareEvent>) { return false; }

}  // namespace marshal::counters

#endif
