#include "exchange/blocks.h"

#include <cstring>
#include <limits>

#include "base/attempt.h"
#include "calls/packed_blocks.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "types/packing_engine.h"

namespace marshal::exchange {
namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max();

struct TypeSize {
  std::int64_t size = 0;
  MPI_Aint extent = 0;
  bool is_plain = false;
};

bool measure(MPI_Datatype type, TypeSize& of) {
  of.size = of.extent = calls::plain_size(type);
  of.is_plain = of.size != 0;
  if (of.is_plain) return true;
  if (!calls::is_certainly_a_type(type)) return false;
  MPI_Count size = 0;
  MPI_Aint low = 0;
  if (pmpi().Type_size_x(type, &size) != MPI_SUCCESS || size < 0) return false;
  of.size = size;
  return pmpi().Type_get_extent(type, &low, &of.extent) == MPI_SUCCESS;
}

std::int64_t element(const void* array, bool is_large, std::size_t k) {
  static_assert(sizeof(MPI_Count) == sizeof(MPI_Aint));
  return is_large ? static_cast<std::int64_t>(static_cast<const MPI_Count*>(array)[k])
                  : static_cast<const int*>(array)[k];
}

}  // namespace

std::int64_t bytes_of_block(const Arguments& a, int process) {
  const auto k = static_cast<std::size_t>(process);
  TypeSize of;
  if (process < 0 || !measure(a.types != nullptr ? a.types[k] : a.type, of)) return 0;
  return of.size * (a.counts != nullptr ? element(a.counts, a.are_large, k) : a.count);
}

bool Blocks::begin(const Arguments& a, int processes, bool by_engine) {
  all_.clear();
  by_engine_ = by_engine && engine_is_on();
  const bool has_memory = a.user != nullptr && !a.is_bottom;
  if (has_memory && may_be_on_device(a.user)) return false;
  TypeSize of;
  if (a.types == nullptr && !measure(a.type, of)) return false;
  for (std::size_t k = 0; k < static_cast<std::size_t>(processes); ++k) {
    const MPI_Datatype type = a.types != nullptr ? a.types[k] : a.type;
    if (a.types != nullptr && (k == 0 || type != a.types[k - 1]) && !measure(type, of)) return false;
    const std::int64_t count = a.counts != nullptr ? element(a.counts, a.are_large, k) : a.count;
    std::int64_t bytes = 0, place = 0;
    if (count < 0 || count > most || __builtin_mul_overflow(count, of.size, &bytes)) return false;
    const std::int64_t unit = a.types != nullptr ? 1 : of.extent;
    const std::int64_t at =
        a.places != nullptr ? element(a.places, a.are_large, k) : static_cast<std::int64_t>(k) * count;
    if (__builtin_mul_overflow(at, unit, &place) || (bytes != 0 && !has_memory)) return false;
    std::byte* const user = reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(a.user) + place);
    all_.push_back({user, count, bytes, type, of.is_plain});
  }
  return true;
}

std::optional<GappedBuffer> Blocks::gapped_of(const One& block) const {
  std::optional<GappedBuffer> gapped;
  if (!by_engine_) return gapped;
  attempt([&] { gapped = find_gapped({block.user, false, block.count, block.type}, Way::calls); });
  return gapped;
}

bool Blocks::pack(int process, std::byte* to, MPI_Comm own) const {
  const One& block = all_[static_cast<std::size_t>(process)];
  if (block.bytes == 0) return true;
  if (block.is_plain) {
    std::memcpy(to, block.user, static_cast<std::size_t>(block.bytes));
    return true;
  }
  if (const std::optional<GappedBuffer> gapped = gapped_of(block)) {
    move_copy<false>(gapped->instances(), to, {0, gapped->bytes});
    return true;
  }
  const PackingByHost packing;
  int position = 0;
  return pmpi().Pack(block.user, static_cast<int>(block.count), block.type, to, static_cast<int>(block.bytes),
                     &position, own) == MPI_SUCCESS &&
         position == block.bytes;
}

int Blocks::unpack(int process, const std::byte* from, std::int64_t bytes, MPI_Comm own, int tag) const {
  const One& block = all_[static_cast<std::size_t>(process)];
  if (block.bytes == 0) return MPI_SUCCESS;          // as where hosts skip empty blocks, whatever was sent
  if (bytes > block.bytes) return MPI_ERR_TRUNCATE;  // hosts write nothing then
  if (bytes < block.bytes) {
    const int self = process_groups().world_rank();
    return pmpi().Sendrecv(const_cast<std::byte*>(from), static_cast<int>(bytes), predefined().type_byte, self, tag,
                           block.user, static_cast<int>(block.count), block.type, self, tag, own, MPI_STATUS_IGNORE);
  }
  if (block.is_plain) {
    std::memcpy(block.user, from, static_cast<std::size_t>(bytes));
    return MPI_SUCCESS;
  }
  if (const std::optional<GappedBuffer> gapped = gapped_of(block)) {
    move_copy<true>(gapped->instances(), const_cast<std::byte*>(from), {0, bytes});
    return MPI_SUCCESS;
  }
  const PackingByHost packing;
  int position = 0;
  return pmpi().Unpack(const_cast<std::byte*>(from), static_cast<int>(bytes), &position, block.user,
                       static_cast<int>(block.count), block.type, own);
}

}  // namespace marshal::exchange
