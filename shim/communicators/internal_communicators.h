// Windows and files. Each has communicators of its own inside the host, which the report counts at the call site of the
// window or file. Each also has a group, that of its communicator.
#pragma once

#include <mpi.h>

#include "communicators/creation_site.h"
#include "rankmap/rank_map.h"

namespace marshal::books {

void enter_window(MPI_Win handle, CreationSite* site, const RankMap& map);
const RankMap* map_of_window(MPI_Win handle);  // null if it was made unseen; valid until the window is freed
CreationSite* take_window(MPI_Win handle);     // removes its entry; the site that made it, or null
void forget_window(MPI_Win handle);

void enter_file(MPI_File handle, CreationSite* site, const RankMap& map);
const RankMap* map_of_file(MPI_File handle);
CreationSite* take_file(MPI_File handle);
void forget_file(MPI_File handle);

}  // namespace marshal::books
