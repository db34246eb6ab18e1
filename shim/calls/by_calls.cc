#include "calls/by_calls.h"

#include <mpi.h>

#include <string>

#include "base/attempt.h"
#include "base/immortal.h"
#include "calls/carrier.h"
#include "calls/cut_ends.h"
#include "calls/packed_blocks.h"
#include "copies/extended_requests.h"
#include "copies/gapped_buffer.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/known_message.h"
#include "messages/message_engine.h"
#include "settings/settings_in_force.h"

namespace marshal::calls {
namespace {

constexpr const char* others_differ = "it does not do for all processes";
// The outcome of this process's trial; null where it came out right.
const char* off_because = others_differ;

std::string& way() {
  static Immortal<std::string> the;
  return *the;
}

using messages::KnownMessage;

constexpr int elements = KnownMessage::bytes / sizeof(int);
constexpr int tag = 3;

bool came_whole(int code, const MPI_Status& status) {
  return code == MPI_SUCCESS && status.MPI_SOURCE == 0 && status.MPI_TAG == tag &&
         bytes_in(status) == static_cast<std::int64_t>(KnownMessage::bytes);
}

// One message in each direction by MPI_Sendrecv.
bool exchanges(MPI_Comm self, KnownMessage& message, MPI_Datatype type) {
  const Pmpi& p = pmpi();
  const MPI_Datatype element = predefined().type_int;
  MPI_Status status{};
  KnownMessage::User received{};
  KnownMessage::Packed packed{};
  const int to_type = p.Sendrecv(message.packed.data(), elements, element, 0, tag, received.data(), KnownMessage::count,
                                 type, 0, tag, self, &status);
  if (!came_whole(to_type, status) || received != message.unpacked) return false;
  status = {};
  const int from_type = p.Sendrecv(message.user.data(), KnownMessage::count, type, 0, tag, packed.data(), elements,
                                   element, 0, tag, self, &status);
  return came_whole(from_type, status) && packed == message.packed;
}

// Calls that block, with a nonblocking one on the other side.
bool sends_and_receives(MPI_Comm self, KnownMessage& message, MPI_Datatype type) {
  const Pmpi& p = pmpi();
  const MPI_Datatype element = predefined().type_int;
  MPI_Status status{};
  MPI_Request request = predefined().request_null;
  KnownMessage::User received{};
  KnownMessage::Packed packed{};
  if (p.Irecv(received.data(), KnownMessage::count, type, 0, tag, self, &request) != MPI_SUCCESS) return false;
  const int sent = p.Send(message.packed.data(), elements, element, 0, tag, self);
  if (sent != MPI_SUCCESS || !came_whole(p.Wait(&request, &status), status) || received != message.unpacked)
    return false;
  status = {};
  if (p.Isend(message.user.data(), KnownMessage::count, type, 0, tag, self, &request) != MPI_SUCCESS) return false;
  const bool came = came_whole(p.Recv(packed.data(), elements, element, 0, tag, self, &status), status);
  return p.Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && came && packed == message.packed;
}

bool exchanges_with_all(MPI_Comm self, KnownMessage& message, MPI_Datatype type) {
  const MPI_Datatype element = predefined().type_int;
  const int one_count = KnownMessage::count, all_elements = elements, nowhere = 0;
  KnownMessage::User received{};
  KnownMessage::Packed packed{};
  if (pmpi().Alltoallw(message.packed.data(), &all_elements, &nowhere, &element, received.data(), &one_count, &nowhere,
                       &type, self) != MPI_SUCCESS)
    return false;
  return received == message.unpacked &&
         pmpi().Alltoallw(message.user.data(), &one_count, &nowhere, &type, packed.data(), &all_elements, &nowhere,
                          &element, self) == MPI_SUCCESS &&
         packed == message.packed;
}

const char* try_on(MPI_Comm self, MPI_Datatype type) {
  const char* why = "datatypes of the MPI library cannot be read";
  attempt([&] {
    KnownMessage message(type);
    why = !sends_and_receives(self, message, type)   ? "packed messages do not arrive"
          : !exchanges(self, message, type)          ? "packed messages of MPI_Sendrecv do not arrive"
          : !exchanges_with_all(self, message, type) ? "packed messages of MPI_Alltoallw do not arrive"
                                                     : nullptr;
  });
  return why;
}

// Sends messages to this process itself, on a communicator of Marshal's own, packed on one side and of a datatype on
// the other: does the host take packed messages at its calls as the standard says? Null where they came out right; else
// why not. Local. Errors reach no handler of the program.
const char* try_out() {
  const Pmpi& p = pmpi();
  MPI_Comm self;
  if (p.Comm_dup(predefined().comm_self, &self) != MPI_SUCCESS) return "no communicator";
  const char* why = "no datatypes";
  MPI_Datatype type;
  if (p.Comm_set_errhandler(self, predefined().errors_return) == MPI_SUCCESS && KnownMessage::make_type(&type)) {
    if (p.Type_commit(&type) == MPI_SUCCESS) why = try_on(self, type);
    p.Type_free(&type);
    if (why == nullptr) try_carrier_elements(self);
    if (why == nullptr) try_out_extended_requests(self);  // without them, nonblocking calls are the host's
  }
  p.Comm_free(&self);
  return why;
}

}  // namespace

bool may_begin() {
  const bool takes_bytes = messages::may_go_by_calls();
  off_because = takes_bytes ? others_differ : messages::why_off();
  if (!asks_for_calls(settings().messages, takes_bytes, messages::why_off() == nullptr)) return false;
  off_because = try_out();
  if (off_because == nullptr && !begin_deliveries()) off_because = "no communicator";
  return off_because == nullptr;
}

void begin_together() {
  // Without them, blocks without gaps beside others are the host's.
  attempt(note_plain_types);
  way() = way_by_calls(settings().messages, messages::why_off());
  detail::on = true;
}

void stay_off() {
  end_deliveries();
  const bool is_asked_for =
      asks_for_calls(settings().messages, messages::may_go_by_calls(), messages::why_off() == nullptr);
  if (!is_asked_for && settings().messages != MessageEngine::calls) return;
  way() = off_because != nullptr ? off_because : others_differ;
}

void end() {
  detail::on = false;
  end_deliveries();
  free_carrier_types();
}

const char* way_of_messages() {
  if (!way().empty()) return way().c_str();
  return messages::why_off() == nullptr ? "engine" : messages::why_off();
}

bool is_missed() { return messages::is_missed() || (settings().messages == MessageEngine::calls && !are_on()); }

}  // namespace marshal::calls
