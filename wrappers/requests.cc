// Persistent and partitioned sends, which count as one message each time that they are started.
#include "communicators/persistent_requests.h"
#include "communicators/sent_messages.h"
#include "wrappers/actions.h"

namespace marshal::action {

int set_up_send(HostCall& host, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm, MPI_Request* request) {
  const int code = host();
  if (code != MPI_SUCCESS || !is_watching_messages() || dest < 0) return code;
  HostCall::own([&] {
    enter_persistent_send(*request, {{peer_name(comm, dest), grid_of(comm), size_of_message(count, type)}});
  });
  return code;
}
int set_up_partitioned(HostCall& host, int partitions, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
                       MPI_Request* request) {
  return set_up_send(host, partitions * count, type, dest, comm, request);
}

int request_free(HostCall& host, MPI_Request* request) {
  if (request != nullptr) forget_persistent_request(*request);
  return host();
}

}  // namespace marshal::action
