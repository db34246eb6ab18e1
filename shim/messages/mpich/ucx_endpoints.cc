#include "messages/mpich/ucx_endpoints.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "host/next_symbol.h"

namespace marshal::endpoints {
namespace {

enum class Transport : unsigned char { not_asked, tcp, other };

Transport ask(void* endpoint) {
  static auto* const print =
      reinterpret_cast<void (*)(const void* endpoint, std::FILE*)>(find_host_symbol("ucp_ep_print_info"));
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const stream = print != nullptr ? open_memstream(&text, &bytes) : nullptr;
  if (stream == nullptr) return Transport::other;
  print(endpoint, stream);
  const bool written = std::fclose(stream) == 0;
  const bool is_tcp = written && has_only_tcp({text, bytes});
  std::free(text);
  return is_tcp ? Transport::tcp : Transport::other;
}

struct Endpoint {
  std::atomic<Transport> transport{Transport::not_asked};
};

struct Endpoints {
  std::mutex mutex;
  std::vector<void*> early;   // until begin()
  Registry<Endpoint> of_job;  // from then on the same; what is known of them changes
  std::atomic<bool> begun{false};
  std::atomic<bool> job_uses_tcp{false};

  Endpoint* find(void* endpoint) const {
    return begun.load(std::memory_order_acquire) ? of_job.find(key_of(endpoint)) : nullptr;
  }
  static std::uint64_t key_of(void* endpoint) { return reinterpret_cast<std::uintptr_t>(endpoint); }
};
Endpoints& made_endpoints() {
  static Immortal<Endpoints> the;
  return *the;
}

bool is_over_tcp(void* address, Endpoint& endpoint) {
  Transport known = endpoint.transport.load(std::memory_order_relaxed);
  if (known != Transport::not_asked) return known == Transport::tcp;
  const Transport asked = ask(address);
  // Unless another endpoint was made in its place.
  return (endpoint.transport.compare_exchange_strong(known, asked, std::memory_order_relaxed) ? asked : known) ==
         Transport::tcp;
}

}  // namespace

void note_created(void* endpoint) {
  Endpoints& the = made_endpoints();
  const std::lock_guard lock(the.mutex);
  if (Endpoint* const known = the.find(endpoint))
    known->transport.store(Transport::other, std::memory_order_relaxed);  // another one may stand at its address now
  else if (MadeByHost::now && !the.begun)
    attempt([&] { the.early.push_back(endpoint); });
}

bool begin() {
  Endpoints& the = made_endpoints();
  const std::lock_guard lock(the.mutex);
  for (void* const endpoint : the.early) the.of_job.insert(Endpoints::key_of(endpoint), std::make_unique<Endpoint>());
  the.begun = true;
  constexpr std::size_t most_asked = 16;
  const std::size_t step = std::max<std::size_t>(the.early.size() / most_asked, 1);
  bool some_over_tcp = false;
  for (std::size_t i = 0; i < the.early.size() && !some_over_tcp; i += step)
    some_over_tcp = is_over_tcp(the.early[i], *the.find(the.early[i]));
  the.early = {};
  return some_over_tcp;
}

void agree_on_tcp(bool some_do) { made_endpoints().job_uses_tcp.store(some_do, std::memory_order_relaxed); }
bool job_uses_tcp() { return made_endpoints().job_uses_tcp.load(std::memory_order_relaxed); }

bool lead_over_tcp(void* endpoint) {
  Endpoint* const known = made_endpoints().find(endpoint);
  return known != nullptr && is_over_tcp(endpoint, *known);
}

bool has_only_tcp(std::string_view description) {
  constexpr std::string_view lane = " lane[";
  std::size_t lanes = 0;
  for (std::size_t at = 0; (at = description.find(lane, at)) != description.npos; ++lanes) {
    std::string_view line = description.substr(at += lane.size());
    line = line.substr(0, line.find('\n'));
    // "0]:  1:tcp/lo.0 md[1] ..."
    line.remove_prefix(std::min(line.find("]:"), line.size()));
    const std::size_t slash = line.find('/'), colon = line.rfind(':', slash);
    if (slash == line.npos || line.substr(colon + 1, slash - colon - 1) != "tcp") return false;
  }
  return lanes > 0;
}

}  // namespace marshal::endpoints
