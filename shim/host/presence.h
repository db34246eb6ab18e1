// Tells whether Marshal is at work in this process.
#pragma once

#include <atomic>

namespace marshal {

enum class Presence : int {
  unmet,  // no MPI call yet: most processes that load the library (shells, launchers) stay here
  here,
  aside,  // wrong host, switched off, or a forked child: every call goes straight to the host
};

namespace detail {
extern std::atomic<Presence> presence;
}

inline bool is_here() { return detail::presence.load(std::memory_order_relaxed) == Presence::here; }

inline bool is_aside() { return detail::presence.load(std::memory_order_relaxed) == Presence::aside; }

// Called once a symbol of the host is found, before the first call goes through: learns which MPI this is, reads the
// options, finds the host's functions, and decides between here and aside. Idempotent, thread safe.
void meet_host();
void step_aside();

}  // namespace marshal
