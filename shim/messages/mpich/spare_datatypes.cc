#include "messages/mpich/spare_datatypes.h"

#include <atomic>

namespace marshal::spare_datatypes {
namespace {

constinit ThreadRecords<detail::SpareDatatypes> all_spares;
constinit std::atomic<bool> safe{false};

}  // namespace

void are_safe() { safe.store(true, std::memory_order_relaxed); }

bool detail::keep_first(std::uint64_t datatype) {
  return safe.load(std::memory_order_relaxed) && all_spares.take(spares) != nullptr && keep(datatype);
}

}  // namespace marshal::spare_datatypes
