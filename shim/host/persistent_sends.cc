#include "host/persistent_sends.h"

#include <memory>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "host/handles.h"
#include "host/sent_messages.h"

namespace marshal {
namespace {

using Parts = std::vector<PersistentPart>;

Registry<Parts>& requests() {
  static Immortal<Registry<Parts>> alive;
  return *alive;
}

}  // namespace

void enter_persistent_send(MPI_Request request, std::vector<PersistentPart> parts) {
  requests().insert(key_of(request), std::make_unique<Parts>(std::move(parts)));
  detail::any_persistent_sends.store(true, std::memory_order_relaxed);
}

void count_started(MPI_Request before, MPI_Request after) noexcept {
  const Parts* parts = requests().find(key_of(before));
  if (parts == nullptr) return;
  for (const PersistentPart& part : *parts) count_messages(part.to, 1, part.bytes);
  // Open MPI starts another request where the last start is not over yet inside.
  if (before != after)
    attempt([&] {
      if (auto moved = requests().extract(key_of(before))) requests().insert(key_of(after), std::move(moved));
    });
}

void forget_persistent_send(MPI_Request request) noexcept {
  attempt([&] { requests().extract(key_of(request)); });
}

}  // namespace marshal
