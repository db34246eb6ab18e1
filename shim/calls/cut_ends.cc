#include "calls/cut_ends.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "communicators/communicators.h"
#include "host/host_family.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal::calls {

bool may_end_inside_element(const PackedBuffer& packed, std::int64_t bytes) {
  if (is_open_mpi() || bytes >= packed.bytes()) return false;
  const bool differ = packed.element() == predefined().type_byte;
  return bytes % (differ ? packed.instance() : packed.bytes() / packed.elements()) != 0;
}

namespace {

std::optional<MPI_Comm> to_itself;
constexpr unsigned tags = 32767;

// The last bytes of a message, in the program's buffer. They are made to differ from those that the host is to bring
// there; so what it has left out is seen.
class Tail {
 public:
  Tail(const PackedBuffer& packed, std::int64_t bytes)
      : packed_(packed), range_{std::max<std::int64_t>(bytes - most, 0), bytes}, came_(packed.data() + range_.from) {
    packed_.pack_range(range_, before_.data());
    std::array<std::byte, most> others;
    for (std::size_t i = 0; i < size(); ++i) others[i] = ~came_[i];
    packed_.unpack_range(range_, others.data());
  }

  // True if the host brought all of them; the others are as they were before.
  bool is_complete() {
    std::array<std::byte, most> now;
    packed_.pack_range(range_, now.data());
    bool complete = true;
    for (std::size_t i = 0; i < size(); ++i)
      if (now[i] != came_[i]) {
        now[i] = before_[i];
        complete = false;
      }
    if (!complete) packed_.unpack_range(range_, now.data());
    return complete;
  }

 private:
  static constexpr std::int64_t most = 64;  // no predefined element is longer
  std::size_t size() const { return static_cast<std::size_t>(range_.to - range_.from); }

  const PackedBuffer& packed_;
  const datatype::PackedRange range_;
  const std::byte* const came_;
  std::array<std::byte, most> before_;
};

}  // namespace

bool begin_deliveries() {
  MPI_Comm own;
  if (pmpi().Comm_dup(predefined().comm_self, &own) != MPI_SUCCESS) return false;
  pmpi().Comm_set_errhandler(own, predefined().errors_return);
  to_itself = own;
  return true;
}

void end_deliveries() {
  if (to_itself) pmpi().Comm_free(&*to_itself);
  to_itself.reset();
}

int deliver_by_host(const PackedBuffer& packed, std::int64_t bytes, const ProgramBuffer& buffer) noexcept {
  if (!to_itself) return MPI_ERR_TRUNCATE;
  // Those of several threads do not meet.
  static std::atomic<unsigned> deliveries{0};
  const int tag = static_cast<int>(deliveries.fetch_add(1, std::memory_order_relaxed) % tags);
  Tail tail(packed, bytes);
  const int code = pmpi().Sendrecv(packed.data(), static_cast<int>(bytes), predefined().type_byte, 0, tag, buffer.user,
                                   static_cast<int>(buffer.count), buffer.type, 0, tag, *to_itself, MPI_STATUS_IGNORE);
  return tail.is_complete() ? code : int{MPI_ERR_TRUNCATE};
}

namespace {

std::uint64_t number_of(MPI_Comm handle) {
  const Communicator* const communicator = books::find(handle);
  return communicator != nullptr ? communicator->number : 0;
}

}  // namespace

CommunicatorOfMessage::CommunicatorOfMessage(MPI_Comm handle) : handle_(handle), number_(number_of(handle)) {}

void CommunicatorOfMessage::tell_handler(int error) const {
  static const auto call_errhandler =
      reinterpret_cast<int (*)(MPI_Comm, int)>(find_host_symbol("PMPI_Comm_call_errhandler"));
  if (call_errhandler != nullptr && number_of(handle_) == number_) call_errhandler(handle_, error);
}

}  // namespace marshal::calls
