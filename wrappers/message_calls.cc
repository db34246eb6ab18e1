// Blocking messages by calls (calls/by_calls.h): buffers with gaps are packed before the host's own function, and
// unpacked behind it. All other messages go to the host as they are.
#include <optional>

#include "communicators/communicators.h"
#include "copies/gapped_buffer.h"
#include "copies/packed_copy.h"
#include "host/pmpi.h"
#include "wrappers/actions.h"
#include "wrappers/bottom.h"

namespace marshal::action {
namespace {

using Sender = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);

Sender sender_of(Call call) {
  switch (call) {
    case Call::Bsend:
    case Call::Bsend_c:
      return pmpi().Bsend;
    case Call::Ssend:
    case Call::Ssend_c:
      return pmpi().Ssend;
    case Call::Rsend:
    case Call::Rsend_c:
      return pmpi().Rsend;
    default:
      return pmpi().Send;
  }
}

// What a copy saves of a KiB, before the type is read: from measurements of the benchmark `bench messages`.
constexpr float saved_ns_of_a_kib = 200;

struct Packed {
  std::optional<GappedBuffer> buffer;
  PackedCopy copy;

  bool begin(Binding binding, void* user, MPI_Count count, MPI_Datatype type) {
    const Bottom bottom = bottom_of(binding, user);
    if (bottom == Bottom::unknown) return false;
    buffer = find_gapped({user, bottom == Bottom::yes, count, type}, saved_ns_of_a_kib);
    if (!buffer) return false;
    copy = PackedCopy(buffer->bytes);
    return copy.data() != nullptr;
  }
  template <bool unpack>
  void move(std::int64_t bytes) {
    move_copy<unpack>({buffer->layout->plan, buffer->count, buffer->user, buffer->bytes}, copy.data(), {0, bytes});
  }
};

}  // namespace

int send_by_calls(HostCall& host, void* buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  Packed packed;
  bool is_packed = false;
  HostCall::own([&] {
    if (dest < 0 || tag < 0 || books::find(comm) == nullptr || !packed.begin(host.binding, buf, count, type)) return;
    packed.move<false>(packed.buffer->bytes);
    is_packed = true;
  });
  if (!is_packed) return host();
  return host.instead([&] {
    return sender_of(host.call)(packed.copy.data(), packed.buffer->elements, packed.buffer->element, dest, tag, comm);
  });
}

}  // namespace marshal::action
