#include "messages/mpich/packed_broadcasts.h"

#include <unistd.h>

#include <limits>
#include <string_view>

#include "base/immortal.h"
#include "base/reused_memory.h"
#include "communicators/communicators.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/message_fragments.h"

namespace marshal::broadcasts {
namespace {

// A root packs into memory that it does not receive into: a core that writes a line waits if another core has read that
// line. But two large blocks do not both stay in the near caches; then one block for both purposes is faster.
struct Memory {
  static constexpr std::size_t most = 64 * 1024 * 1024;  // of each, in all; larger broadcasts are the host's
  static constexpr std::int64_t largest_apart = 512 * 1024;
  ReusedMemory to_send{most}, to_receive{most};

  static ReusedMemory& of(bool root, std::int64_t bytes) {
    static Immortal<Memory> the;
    return root && bytes <= largest_apart ? the->to_send : the->to_receive;
  }
};

// One block can be broadcast from where it is. But others read memory slowly that the program writes: on two cores of
// an Intel Xeon, up to 128 KiB it took as long to copy it first, or less.
constexpr std::int64_t shortest_in_place = 256 * 1024;

// The number of processes of a communicator. 0 for an intercommunicator, or if some processes are of other jobs. The
// host is asked as well as the book: a communicator may have been freed unseen, and its handle given to another one.
int size_in_own_job(MPI_Comm handle) {
  const Communicator* const communicator = books::find(handle);
  int inter = 1;
  if (communicator == nullptr || communicator->remote || !communicator->own_job ||
      pmpi().Comm_test_inter(handle, &inter) != MPI_SUCCESS || inter != 0)
    return 0;
  return communicator->map.tracked() ? communicator->map.size() : size_of(handle);
}

struct TypeSize {
  std::int64_t size = 0, extent = 0;
};
TypeSize size_of_instance(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Aint least = 0, extent = 0;
  const Pmpi& p = pmpi();
  if (p.Type_size_x(type, &size) != MPI_SUCCESS || p.Type_get_extent(type, &least, &extent) != MPI_SUCCESS) return {};
  return {size, extent};
}

// A handle that was freed, and given to a contiguous type since, still leads to the type that had it first: MPICH makes
// nothing in UCX for contiguous types, and 4.0 forgets to destroy some of what it made. So all types are the host's
// that may be contiguous.
bool has_gaps(const TypeSize& type) { return type.size > 0 && type.size != type.extent; }

// Settings by which MPICH's choice of an algorithm, or of messages, may depend on the type: an algorithm that is named,
// and libraries of collectives, which take predefined types only. So does a shared memory of its own beside UCX.
bool may_choose_by_type() {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable), name = text.substr(0, text.find('='));
    if (!name.starts_with("MPIR_CVAR_") && !name.starts_with("MPIR_PARAM_") && !name.starts_with("MPICH_")) continue;
    for (const std::string_view part : {"BCAST", "UCC", "HCOLL", "COLL_SELECTION"})
      if (name.find(part) != name.npos) return true;
  }
  HostVersion version;
  read_host_version(version);
  return std::string_view(version.text).find("shmmods") != std::string_view::npos;
}

}  // namespace

void begin() { detail::on.store(!may_choose_by_type(), std::memory_order_relaxed); }
void end() { detail::on.store(false, std::memory_order_relaxed); }

bool Broadcast::begin(void* user, std::int64_t count, MPI_Datatype type, int root, MPI_Comm communicator) {
  if (user == nullptr || count <= 0 || root < 0) return false;
  const int processes = size_in_own_job(communicator);
  if (processes < 2 || root >= processes) return false;
  const TypeSize instance = size_of_instance(type);
  if (!has_gaps(instance) || count > std::numeric_limits<int>::max() / instance.size) return false;
  bytes_ = count * instance.size;
  if (!generic_types::find_moved(key_of(type), count, bytes_, type_)) return false;
  const datatype::Plan& plan = type_.layout->plan;
  if (plan.size() != instance.size || plan.extent() != instance.extent) return false;
  is_root_ = own_rank(communicator) == root;
  is_in_place_ = type_.is_one_block && bytes_ >= shortest_in_place;
  if (is_in_place_)
    packed_ = static_cast<std::byte*>(user) + plan.touched().first;
  else if (bytes_ <= static_cast<std::int64_t>(sizeof(small_)))
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

template <bool unpack>
void Broadcast::move() {
  const MessagePart message{type_.layout, count_, user_, bytes_};
  if (is_in_place_)
    message.layout->messages(unpack).by_engine.add_fragment(bytes_, true);
  else if (packed_ == small_)
    move_whole_message<unpack>(message, packed_);
  else
    move_fragment<unpack>(message, packed_, {0, bytes_}, false);
}

int Broadcast::run() {
  if (is_root_) move<false>();
  const int code = pmpi().Bcast(packed_, static_cast<int>(bytes_), predefined().type_byte, root_, communicator_);
  // After an error, too: the host unpacks what came of a broadcast whose counts differ, and chance values after that.
  if (!is_root_) move<true>();
  type_.life->moved(bytes_);
  return code;
}

Broadcast::~Broadcast() {
  if (packed_ != nullptr && packed_ != small_ && !is_in_place_) Memory::of(is_root_, bytes_).give_back(packed_);
}

}  // namespace marshal::broadcasts
