#include "communicators/persistent_requests.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "host/handles.h"

namespace marshal {
namespace {

struct Collective {
  CollectiveName name;
  std::uint64_t bytes;
};
struct Start {
  ObjectPlace* made_at;
  std::vector<PersistentPart> sends{};
  std::optional<Collective> collective{};
};

Registry<Start>& requests() {  // HANDLES: persistent requests
  static Immortal<Registry<Start>> alive;
  return *alive;
}

void enter(MPI_Request request, Start start) {
  ObjectPlace& made_at = *start.made_at;
  const auto unnoticed = requests().insert(key_of(request), std::make_unique<Start>(std::move(start)));
  if (unnoticed != nullptr) unnoticed->made_at->count_ended();
  made_at.count_made();
  detail::any_persistent_requests.store(true, std::memory_order_relaxed);
}

}  // namespace

void enter_persistent_send(ObjectPlace& made_at, MPI_Request request, std::vector<PersistentPart> parts) {
  enter(request, {.made_at = &made_at, .sends = std::move(parts)});
}

void enter_persistent_collective(ObjectPlace& made_at, MPI_Request request, const CollectiveName& name,
                                 std::uint64_t bytes) {
  enter(request, {.made_at = &made_at, .collective = Collective{name, bytes}});
}

void count_started(MPI_Request before, MPI_Request after) noexcept {
  const Start* start = requests().find(key_of(before));
  if (start == nullptr) return;
  for (const PersistentPart& part : start->sends) count_message(part.to, part.grid, part.size);
  if (start->collective) count_collective(start->collective->name, start->collective->bytes);
  // Open MPI starts another request where the last start is not over yet inside.
  if (before != after)
    attempt([&] {
      if (auto moved = requests().extract(key_of(before))) {
        if (const auto unnoticed = requests().insert(key_of(after), std::move(moved)))
          unnoticed->made_at->count_ended();
      }
    });
}

bool forget_persistent_request(MPI_Request request) noexcept {
  bool was_one = false;
  attempt([&] {
    const auto gone = requests().extract(key_of(request));
    was_one = gone != nullptr;
    if (was_one) gone->made_at->count_ended();
  });
  return was_one;
}

}  // namespace marshal
