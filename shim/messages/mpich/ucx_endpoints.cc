#include "messages/mpich/ucx_endpoints.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "base/attempt.h"
#include "base/fixed_table.h"
#include "base/immortal.h"
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

// By address, in open addressing. The endpoints are fixed once it is made; what is known of them changes.
class Table {
 public:
  explicit Table(const std::vector<void*>& endpoints)
      : entries_(std::make_unique<Entry[]>(std::bit_ceil(2 * endpoints.size() + 1))),
        mask_(std::bit_ceil(2 * endpoints.size() + 1) - 1) {
    for (void* const endpoint : endpoints) place_of(endpoint).endpoint = endpoint;
  }

  Transport transport(void* endpoint) {
    Entry& entry = place_of(endpoint);
    if (entry.endpoint == nullptr) return Transport::other;
    Transport known = entry.transport.load(std::memory_order_relaxed);
    if (known != Transport::not_asked) return known;
    const Transport asked = ask(endpoint);
    // Unless another endpoint was made in its place.
    return entry.transport.compare_exchange_strong(known, asked, std::memory_order_relaxed) ? asked : known;
  }

  // Another endpoint may stand at its address now.
  void forget(void* endpoint) {
    Entry& entry = place_of(endpoint);
    if (entry.endpoint != nullptr) entry.transport.store(Transport::other, std::memory_order_relaxed);
  }

 private:
  struct Entry {
    void* endpoint = nullptr;
    std::atomic<Transport> transport{Transport::not_asked};
  };

  Entry& place_of(void* endpoint) {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(endpoint));
    std::size_t at = spread(address, 32) & mask_;
    while (entries_[at].endpoint != nullptr && entries_[at].endpoint != endpoint) at = (at + 1) & mask_;
    return entries_[at];
  }

  std::unique_ptr<Entry[]> entries_;
  std::size_t mask_;
};

struct Endpoints {
  std::mutex mutex;
  std::vector<void*> early;            // until begin()
  std::atomic<Table*> table{nullptr};  // from then on; never freed, as another thread may be sending
  std::atomic<bool> job_uses_tcp{false};
};
Endpoints& made_endpoints() {
  static Immortal<Endpoints> the;
  return *the;
}

}  // namespace

void note_created(void* endpoint) {
  Endpoints& the = made_endpoints();
  const std::lock_guard lock(the.mutex);
  if (Table* const table = the.table.load(std::memory_order_relaxed))
    table->forget(endpoint);
  else if (MadeByHost::now)
    attempt([&] { the.early.push_back(endpoint); });
}

bool begin() {
  Endpoints& the = made_endpoints();
  const std::lock_guard lock(the.mutex);
  auto table = std::make_unique<Table>(the.early);
  constexpr std::size_t most_asked = 16;
  const std::size_t step = std::max<std::size_t>(the.early.size() / most_asked, 1);
  bool some_over_tcp = false;
  for (std::size_t i = 0; i < the.early.size() && !some_over_tcp; i += step)
    some_over_tcp = table->transport(the.early[i]) == Transport::tcp;
  the.table.store(table.release(), std::memory_order_release);
  the.early = {};
  return some_over_tcp;
}

void agree_on_tcp(bool some_do) { made_endpoints().job_uses_tcp.store(some_do, std::memory_order_relaxed); }
bool job_uses_tcp() { return made_endpoints().job_uses_tcp.load(std::memory_order_relaxed); }

bool lead_over_tcp(void* endpoint) {
  Table* const table = made_endpoints().table.load(std::memory_order_acquire);
  return table != nullptr && table->transport(endpoint) == Transport::tcp;
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
