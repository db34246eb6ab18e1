// Reads and writes of buffers with gaps: the engine packs the buffer into a contiguous copy, the host moves the copy,
// and after a read the engine unpacks it. Both MPI libraries' ways to files move gapped memory piece by piece: OMPIO
// makes an iovec of it, which took 100 to 600 ns a piece, and ROMIO copies one piece after the other
// (adio/common/ad_write_coll.c).
//
// The program sees what it would see without Marshal: the same file, status, file pointer and errors. Where the two
// kinds of memory differ on the bare host, its ways with gapped memory are followed: see after_host().
#pragma once

#include <mpi.h>

#include <optional>

#include "files/open_files.h"

namespace marshal::files {

// In MPI_Init, on the settings in force. Local: whether a process packs is its own affair.
void begin();
bool are_on();

// Makes `access` ready. False if the host is to get the program's call untouched. `offset`: of a call with one, in
// etypes. Takes all the memory that is needed. Throws std::bad_alloc.
bool begin_access(Access& access, const AccessKind& kind, MPI_File file, MPI_Offset offset,
                  const ProgramBuffer& buffer);

// Before the host's call, and after one that succeeded. `status`: of the call; gets what it has for gapped memory.
void before_host(const Access& access);
void after_host(const Access& access, MPI_Status& status);
// The same where only the host knows the status.
void unpack_all(const Access& access);

// True for an independent access of which less came or went than the program asked for: the file ends inside, or the
// disk is full. The host's answer then depends on the pieces of memory. So it makes the access again, with the
// program's memory: the own pointer is back where it was. Call it before after_host().
bool may_be_made_again(const Access& access, const MPI_Status& status);

// An access that goes in parts, by several calls of the host with offsets. Returns MPI's error code.
int run_in_parts(const Access& access, MPI_Status& status);

// For the report: the host has moved the copy, and need not make the access again.
void count_packed(const Access& access);

// Between the begin and the end of a split collective access, the file has the copy. Null: it has none.
void leave_with_file(Access&& access) noexcept;
std::optional<Access> take_from_file(MPI_File file, bool reads) noexcept;

// A request of an access that is over when its call returns. `status`: what the program's wait or test gets. Returns
// MPI's error code, also where memory is short.
int make_done_request(const MPI_Status& status, MPI_Request* request);

}  // namespace marshal::files
