// Persistent and partitioned sends: noted when they are set up, counted when they are started (count_sends.h).
#include <utility>

#include "host/persistent_sends.h"
#include "host/sent_messages.h"
#include "wrappers/actions.h"

namespace marshal::action {
namespace {

int set_up(HostCall& host, std::int64_t instances, MPI_Datatype type, int dest, MPI_Comm comm,
           const MPI_Request* request) {
  const int code = host();
  if (code != MPI_SUCCESS || !is_watching_messages() || dest < 0) return code;
  HostCall::own([&] {
    enter_persistent_send(*request,
                          {{peer_name(comm, dest), static_cast<std::uint64_t>(instances) * size_of_type(type)}});
  });
  return code;
}

}  // namespace

int send_init(HostCall& host, void*, int count, MPI_Datatype type, int dest, int, MPI_Comm comm, MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}
int send_init_c(HostCall& host, void*, MPI_Count count, MPI_Datatype type, int dest, int, MPI_Comm comm,
                MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}
int bsend_init(HostCall& host, void*, int count, MPI_Datatype type, int dest, int, MPI_Comm comm,
               MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}
int bsend_init_c(HostCall& host, void*, MPI_Count count, MPI_Datatype type, int dest, int, MPI_Comm comm,
                 MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}
int ssend_init(HostCall& host, void*, int count, MPI_Datatype type, int dest, int, MPI_Comm comm,
               MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}
int ssend_init_c(HostCall& host, void*, MPI_Count count, MPI_Datatype type, int dest, int, MPI_Comm comm,
                 MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}
int rsend_init(HostCall& host, void*, int count, MPI_Datatype type, int dest, int, MPI_Comm comm,
               MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}
int rsend_init_c(HostCall& host, void*, MPI_Count count, MPI_Datatype type, int dest, int, MPI_Comm comm,
                 MPI_Request* request) {
  return set_up(host, count, type, dest, comm, request);
}

// One message, however many parts it has.
int psend_init(HostCall& host, void*, int partitions, MPI_Count count, MPI_Datatype type, int dest, int, MPI_Comm comm,
               MPI_Info, MPI_Request* request) {
  return set_up(host, partitions * count, type, dest, comm, request);
}

int request_free(HostCall& host, MPI_Request* request) {
  if (request != nullptr) forget_persistent_send(*request);
  return host();
}

}  // namespace marshal::action
