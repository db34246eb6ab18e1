// The thread that looks where the processes of a node stand, and writes it down.
//
// It looks every second, and counts time by its looks: a machine that was suspended adds none. It allocates for a line
// of its own, and for a folder that it has to make. A file system that waits stops this thread alone.
#pragma once

#include "record/core_use.h"
#include "watch/running_file.h"

namespace marshal::watch {

// Once a process. The chunks stay for good. Returns why it cannot, or an empty text.
std::string begin_looking(const Job& job, std::span<const Chunk> chunks);
// How the processes of this node share its cores, since the thread began. Nothing in other processes than the first.
report::CoreUses core_uses() noexcept;
// The process has left MPI_Finalize. Its thread removes the file, and ends. Returns after at most 100 ms.
void end_looking() noexcept;
// The process ends. Without MPI_Finalize the others may wait for it. With it, a thread that is not yet through with the
// file gets a second more.
void leave_looking() noexcept;

}  // namespace marshal::watch
