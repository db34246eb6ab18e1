#include "host/presence.h"

#include <pthread.h>

#include <mutex>
#include <string_view>

#include "base/message.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/settings.h"

namespace marshal {

constinit std::atomic<Presence> detail::presence{Presence::unmet};

namespace {

#ifdef MARSHAL_HOST_OPENMPI
constexpr std::string_view own_host = "Open MPI", own_library = "libmarshal-openmpi.so", mark = "Open MPI",
                           other_mark = "MPICH";
#else
constexpr std::string_view own_host = "MPICH", own_library = "libmarshal-mpich.so", mark = "MPICH",
                           other_mark = "Open MPI";
#endif

// The host's own words about itself; callable before MPI_Init on both hosts.
std::string_view library_version() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
  int length = 0;
  const auto get = reinterpret_cast<int (*)(char*, int*)>(find_host_symbol("PMPI_Get_library_version"));
  if (get == nullptr || get(text, &length) != MPI_SUCCESS) return {};
  return text;
}

// Open MPI writes "Open MPI v4.1.4, …"; MPICH and its relatives "MPICH Version: …" or name themselves with MPICH
// inside.
bool right_host() {
  const std::string_view version = library_version();
  if (version.find(mark) != std::string_view::npos) return true;
  if (first_of_job()) {
    const bool known = version.find(other_mark) != std::string_view::npos;
    say(Level::kWarning,
        "{} is for {}, but this program runs on {}; going on without Marshal (`marshal run` picks the right library)",
        own_library, own_host, known ? other_mark : version.substr(0, version.find('\n')));
  }
  return false;
}

}  // namespace

void meet_host() {
  if (detail::presence.load(std::memory_order_acquire) != Presence::unmet) return;
  static std::once_flag once;
  std::call_once(once, [] {
    const bool wanted = !settings().on(Option::kDisable);
    const bool able = wanted && right_host() && find_pmpi() && find_predefined();
    pthread_atfork(nullptr, nullptr, step_aside);
    detail::presence.store(able ? Presence::here : Presence::aside, std::memory_order_release);
  });
}

void step_aside() { detail::presence.store(Presence::aside, std::memory_order_release); }

}  // namespace marshal
