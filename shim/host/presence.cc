#include "host/presence.h"

#include <pthread.h>

#include <mutex>
#include <string_view>

#include "base/attempt.h"
#include "base/launcher.h"
#include "base/message.h"
#include "host/host_family.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/surroundings.h"
#include "settings/settings_in_force.h"

namespace marshal {

constinit std::atomic<Presence> detail::presence{Presence::unmet};

namespace {

#ifdef MARSHAL_HOST_OPENMPI
constexpr HostFamily own_family = HostFamily::openmpi;
#elif defined(MARSHAL_HOST_ABI)
constexpr HostFamily own_family = HostFamily::abi;
#else
constexpr HostFamily own_family = HostFamily::mpich;
#endif

// The first line, and no more of it than fits one.
std::string_view beginning_of(std::string_view version) {
  version = version.substr(0, version.find('\n')).substr(0, 80);
  return version.empty() ? "an MPI that does not name itself" : version;
}

bool was_opened_by_door() {
  if (!finds_by_itself()) return true;
  if (!is_marshal_in_front() && first_of_job() && !settings().disable)
    say(Level::warning, "LD_PRELOAD must name libmarshal.so, which opens {}; going on without Marshal",
        family_library(own_family));
  return false;
}

bool right_host() {
  HostVersion version;
  read_host_version(version);
  const HostFamily family = find_host_family(version);
  detail::is_open_mpi = family == HostFamily::openmpi || std::string_view(version.text).starts_with("Open MPI");
  if (family == own_family) return true;
  if (first_of_job() && !settings().disable)
    say(Level::warning, "{} is for {}, but this program runs on {} ({}); going on without Marshal",
        family_library(own_family), family_name(own_family), family_name(family), beginning_of(version.text));
  return false;
}

}  // namespace

void meet_host() {
  if (detail::presence.load(std::memory_order_acquire) != Presence::unmet) return;
  static std::once_flag once;
  std::call_once(once, [] {
    // If switched off, it stays here until the ranks have met; then all go on without Marshal (arrival.h).
    bool able = false;
    attempt([&] { able = was_opened_by_door() && right_host() && find_pmpi() && find_predefined(); });
    pthread_atfork(nullptr, nullptr, step_aside);
    detail::presence.store(able ? Presence::here : Presence::aside, std::memory_order_release);
  });
}

void step_aside() { detail::presence.store(Presence::aside, std::memory_order_release); }

}  // namespace marshal
