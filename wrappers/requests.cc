
#include "communicators/persistent_requests.h"
#include "communicators/sent_messages.h"
#include "wrappers/actions.h"
#include "wrappers/count_sends.h"

namespace marshal {

int set_up_send(HostCall& host, std::int64_t instances, MPI_Datatype type, int dest, MPI_Comm comm,
                const MPI_Request* request) {
  const int code = host();
  if (code != MPI_SUCCESS || !is_watching_messages() || dest < 0) return code;
  HostCall::own([&] { enter_persistent_send(*request, {{peer_name(comm, dest), bytes_of(instances, type)}}); });
  return code;
}

namespace action {

int request_free(HostCall& host, MPI_Request* request) {
  if (request != nullptr) forget_persistent_request(*request);
  return host();
}

}  // namespace action
}  // namespace marshal
