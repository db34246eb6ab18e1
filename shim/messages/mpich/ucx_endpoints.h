// UCX's endpoints: the connections over which MPICH sends. UCX tells how each sends only in what it prints for people.
// No MPI.
#pragma once

#include <string_view>

namespace marshal::endpoints {

// While it lives, this thread is in the host's MPI_Init, or makes the first communicator of a session: endpoints that
// it makes are the host's, and lead to the processes of this job. Nobody else's are ever asked: their owners may have
// closed them, or be using them. generic_types.h notes the datatypes that MPI_Init makes.
class MadeByHost {
 public:
  enum class When : bool { in_init, in_session };
  explicit MadeByHost(When when) { now = true, in_init = when == When::in_init; }
  ~MadeByHost() { now = in_init = false; }
  MadeByHost(const MadeByHost&) = delete;
  MadeByHost& operator=(const MadeByHost&) = delete;

  static inline thread_local constinit bool now [[gnu::tls_model("initial-exec")]] = false;
  static inline thread_local constinit bool in_init [[gnu::tls_model("initial-exec")]] = false;
};

// ucp_ep_create made it. Thread safe.
void note_created(void* endpoint);

// MPI_Init ends: endpoints that are made later may lead to other jobs. True if some of the host's send over TCP, as far
// as this process sees: of many, sixteen are asked. Other processes may see it otherwise. Throws std::bad_alloc.
bool begin();

// Keeps what all processes of the job have agreed on: whether some of them send over TCP. False before.
void agree_on_tcp(bool some_do);
bool job_uses_tcp();

// True if the endpoint leads to a process of this job over TCP alone. Thread safe. Ask only where the caller may send
// now.
bool lead_over_tcp(void* endpoint);

// True if all lanes of an endpoint are of TCP, as ucp_ep_print_info describes them:
// "#                 lane[0]:  1:tcp/lo.0 md[1]                -> md[1]/tcp/sysdev[255] rma_bw#0 am am_bw#0".
bool has_only_tcp(std::string_view description);

}  // namespace marshal::endpoints
