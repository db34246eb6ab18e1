#include "messages/mpich/bound_types.h"

#include <utility>

namespace marshal::generic_types {
namespace {

constinit Departures departures{0};
thread_local constinit LastFound<Bound> last_used [[gnu::tls_model("initial-exec")]];
thread_local constinit EntriesInUse<Bound, 1>::Noted* noted_use [[gnu::tls_model("initial-exec")]] = nullptr;

std::uint64_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

Bound& BoundTypes::enter(std::uint64_t datatype, void* host_context) {
  std::unique_ptr<Bound> entered(new Bound{datatype, host_context});
  Bound& type = *entered;
  leave(by_context_.insert(number_of(host_context), std::move(entered)));
  in_use_.fetch_add(1, std::memory_order_release);
  return type;
}

std::uint64_t BoundTypes::end(const void* host_context, HandBack* hand_back) {
  std::unique_ptr<Bound> gone = by_context_.extract(number_of(host_context));
  const std::uint64_t datatype = gone != nullptr ? gone->datatype : 0;
  if (gone != nullptr && hand_back != nullptr) hand_back(*gone);
  leave(std::move(gone));
  return datatype;
}

void BoundTypes::leave(std::unique_ptr<Bound> gone) {
  if (gone == nullptr) return;
  in_use_.fetch_sub(1, std::memory_order_release);
  gone->life->ended();
  departures.fetch_add(1);
  left_.leave(std::move(gone));
}

const Bound& BoundTypes::use(const void* type) {
  const auto* const used = static_cast<const Bound*>(type);
  left_.find(noted_use, 0, last_used, number_of(type), departures, [=] { return used; });
  return *used;
}

}  // namespace marshal::generic_types
