#include "host/spare_datatypes.h"

#include <array>
#include <atomic>
#include <cstddef>

#include "base/thread_records.h"

namespace marshal::spare_datatypes {
namespace {

struct Spares : ThreadRecord<Spares> {
  std::array<std::uint64_t, 16> datatypes{};
  std::size_t count = 0;
};
constinit ThreadRecords<Spares> all_spares;
thread_local constinit Spares* spares [[gnu::tls_model("initial-exec")]] = nullptr;

constinit std::atomic<bool> safe{false};

}  // namespace

void are_safe() { safe.store(true, std::memory_order_relaxed); }

std::uint64_t take(void* context, const ucx::GenericOperations& operations) {
  Spares* const own = spares;
  if (own == nullptr || own->count == 0) return 0;
  const std::uint64_t datatype = own->datatypes[--own->count];
  *ucx::generic_record(datatype) = {context, operations};
  return datatype;
}

bool keep(std::uint64_t datatype) {
  if (!safe.load(std::memory_order_relaxed)) return false;
  Spares* const own = spares != nullptr ? spares : all_spares.take(spares);
  if (own == nullptr || own->count == own->datatypes.size()) return false;
  own->datatypes[own->count++] = datatype;
  return true;
}

}  // namespace marshal::spare_datatypes
