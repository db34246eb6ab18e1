// Leads the functions of host_hooks.h to the library of a family.
#pragma once

#include "host/host_hooks.h"

namespace marshal {

// `functions` in the order of HostHook; where null, calls go on to the host.
void lead_hooks_to(void* const* functions);

}  // namespace marshal
