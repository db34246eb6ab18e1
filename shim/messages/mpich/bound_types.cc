#include "messages/mpich/bound_types.h"

#include <new>
#include <utility>

namespace marshal::generic_types {
namespace {

std::uint64_t key(void* host_context) { return reinterpret_cast<std::uintptr_t>(host_context); }

}  // namespace

Bound& BoundTypes::enter(std::uint64_t datatype, void* host_context) {
  const std::lock_guard lock(mutex_);
  if (spare_ == nullptr) spare_ = new Bound;
  spare_->datatype = datatype;
  spare_->host_context = host_context;
  spare_->context_key = key(host_context);
  Bound* const after = spare_->next_of_context;
  by_context_.insert(*spare_);
  in_use_.store(by_context_.size(), std::memory_order_release);
  return *std::exchange(spare_, after);
}

void BoundTypes::end_of_context(void* host_context) {
  const std::lock_guard lock(mutex_);
  if (Bound* const forgotten = by_context_.extract(key(host_context))) end(*forgotten);
}

void BoundTypes::end(std::uint64_t datatype, const Bound& gone) {
  const std::lock_guard lock(mutex_);
  if (gone.datatype == datatype && by_context_.find(gone.context_key) == &gone)
    end(*by_context_.extract(gone.context_key));
}

void BoundTypes::end(Bound& gone) {
  in_use_.store(by_context_.size(), std::memory_order_release);
  gone.life->ended();
  Bound*& place = ended_[ended_count_++ % ended_.size()];
  if (place != nullptr) keep_as_spare(*place);
  place = &gone;
}

void BoundTypes::keep_as_spare(Bound& type) {
  type.~Bound();
  new (&type) Bound;
  type.next_of_context = std::exchange(spare_, &type);
}

}  // namespace marshal::generic_types
