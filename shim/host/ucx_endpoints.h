// UCX's endpoints: the connections over which MPICH sends. UCX tells how each sends only in what it prints for people.
// No MPI.
#pragma once

#include <string_view>

namespace marshal::endpoints {

// ucp_ep_create made it. Thread safe.
void note_created(void* endpoint);

// MPI_Init ends: the endpoints that were made until now lead to the processes of this job, later ones may lead to
// others. Throws std::bad_alloc.
void begin();

// Whether some of those endpoints send over TCP. Of many, begin() asks about sixteen.
bool some_over_tcp();

// Whether it leads to a process of this job, over TCP alone. Thread safe; the caller may send there now.
bool lead_over_tcp(void* endpoint);

// Whether all lanes of an endpoint are of TCP, as ucp_ep_print_info describes them:
// "#                 lane[0]:  1:tcp/lo.0 md[1]                -> md[1]/tcp/sysdev[255] rma_bw#0 am am_bw#0".
bool has_only_tcp(std::string_view description);

}  // namespace marshal::endpoints
