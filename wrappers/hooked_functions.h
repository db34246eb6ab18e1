// The functions of host_hooks.h as this family has them, for libmarshal.so.
#pragma once

namespace marshal {

void* const* host_hooks();  // in the order of HostHook

}  // namespace marshal
