// Persistent and partitioned requests. A send counts as one message each time that it is started.
#include <utility>
#include <vector>

#include "communicators/persistent_requests.h"
#include "communicators/sent_messages.h"
#include "wrappers/actions/quick.h"
#include "wrappers/entry/actions.h"

namespace marshal::action {

int set_up_send(HostCall& host, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm, MPI_Request* request) {
  const int code = host();
  if (code != MPI_SUCCESS) return code;
  HostCall::own([&] {
    std::vector<PersistentPart> parts;
    if (is_watching_messages() && dest >= 0)
      parts.push_back({peer_name(comm, dest), grid_of(comm), size_of_message(count, type)});
    enter_persistent_send(object_place(name_of(host.call), host.caller), *request, std::move(parts));
  });
  return code;
}
// A receive or a barrier.
int set_up_without_data(HostCall& host, MPI_Request* request) {
  const int code = host();
  if (code != MPI_SUCCESS) return code;
  HostCall::own([&] { enter_persistent_send(object_place(name_of(host.call), host.caller), *request, {}); });
  return code;
}
int set_up_partitioned(HostCall& host, int partitions, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
                       MPI_Request* request) {
  return set_up_send(host, partitions * count, type, dest, comm, request);
}

int request_free(HostCall& host, MPI_Request* request) {
  note_freed_request(request);
  return host();
}

}  // namespace marshal::action
