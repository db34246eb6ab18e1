#include "host/packed_broadcasts.h"

#include <limits>

#include "base/immortal.h"
#include "host/communicators.h"
#include "host/message_fragments.h"
#include "host/own_rank.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/reused_memory.h"

namespace marshal::broadcasts {
namespace {

// What other processes read is memory of its own: a core that writes what another has read waits for each line. But
// where two such blocks do not stay in the near caches, fewer of them are faster.
struct Memory {
  static constexpr std::size_t most = 64 * 1024 * 1024;  // of each, in all; larger broadcasts are the host's
  static constexpr std::int64_t largest_apart = 512 * 1024;
  ReusedMemory to_send{most}, to_receive{most};

  static ReusedMemory& of(bool root, std::int64_t bytes) {
    static Immortal<Memory> the;
    return root && bytes <= largest_apart ? the->to_send : the->to_receive;
  }
};

// Its size, or 0 where the host is to see it: several processes, all of this job, and no intercommunicator.
int size_of_own(MPI_Comm handle) {
  const Communicator* const communicator = books::find(handle);
  if (communicator == nullptr || communicator->remote || !communicator->own_job) return 0;
  const int size = communicator->map.tracked() ? communicator->map.size() : size_of(handle);
  return size > 1 ? size : 0;
}

// A handle that was freed, and given to a contiguous type since, still leads to the type that had it first: MPICH makes
// nothing in UCX for contiguous types, and 4.0 forgets to destroy some of what it made. So all types are the host's
// that may be contiguous. 0 for those.
std::int64_t size_with_gaps(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Aint least, extent;
  const Pmpi& p = pmpi();
  if (p.Type_size_x(type, &size) != MPI_SUCCESS || p.Type_get_extent(type, &least, &extent) != MPI_SUCCESS) return 0;
  return size > 0 && size != extent ? size : 0;
}

}  // namespace

void begin() { detail::on.store(true, std::memory_order_relaxed); }

bool Broadcast::begin(void* user, std::int64_t count, MPI_Datatype type, int root, MPI_Comm communicator) {
  if (user == nullptr || count <= 0 || !may_be_packed(type)) return false;
  if (root < 0 || root >= size_of_own(communicator)) return false;
  const std::int64_t size = size_with_gaps(type);
  if (size == 0 || count > std::numeric_limits<int>::max() / size) return false;
  bytes_ = count * size;
  if (!generic_types::find_moved(key_of(type), bytes_, type_) || type_.layout->plan.size() != size) return false;
  is_root_ = own_rank(communicator) == root;
  if (bytes_ <= static_cast<std::int64_t>(sizeof(small_)))
    packed_ = small_;
  else
    packed_ = static_cast<std::byte*>(Memory::of(is_root_, bytes_).take(static_cast<std::size_t>(bytes_)));
  if (packed_ == nullptr) return false;
  user_ = static_cast<std::byte*>(user);
  count_ = count;
  root_ = root;
  communicator_ = communicator;
  return true;
}

int Broadcast::run() {
  const MessagePart message{type_.layout, count_, user_, bytes_};
  const datatype::PackedRange all{0, bytes_};
  if (is_root_) move_fragment<false>(message, packed_, all, false);
  const int code = pmpi().Bcast(packed_, static_cast<int>(bytes_), predefined().type_byte, root_, communicator_);
  if (code == MPI_SUCCESS && !is_root_) move_fragment<true>(message, packed_, all, false);
  type_.life->moved(bytes_);
  return code;
}

Broadcast::~Broadcast() {
  if (packed_ != nullptr && packed_ != small_) Memory::of(is_root_, bytes_).give_back(packed_);
}

}  // namespace marshal::broadcasts
