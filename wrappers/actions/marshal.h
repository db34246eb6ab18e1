/* marshal.h: ask Marshal for its rank maps, from a program or tool that runs under it.
 *
 * Nothing needs to be linked: the functions are weak, and are null when Marshal is not preloaded, so test before
 * calling:
 *
 *     if (marshal_comm_process && marshal_comm_process(comm, rank, &group, &lpid) == MARSHAL_SUCCESS) …
 *
 * A process is named by the process group (job) that it belongs to and its rank there. Groups are numbered by each
 * process for itself, in the order it met them; group 0 is its own MPI_COMM_WORLD (or mpi://WORLD). On an
 * intercommunicator ranks mean the remote group, as everywhere in MPI. All functions are local, take nanoseconds, and
 * may be called from any thread between MPI_Init and MPI_Finalize, on a communicator that no other thread is freeing.
 * They never call MPI error handlers.
 */
#ifndef MARSHAL_H
#define MARSHAL_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MARSHAL_SUCCESS 0
#define MARSHAL_UNKNOWN_COMM 1 /* no map is kept for this communicator (MARSHAL_RANKMAP=off, or not a communicator) */
#define MARSHAL_NO_RANK \
  2 /* the rank is not in the communicator (MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT and out of range) */
#define MARSHAL_NO_MEMBER 3   /* the process is not in the communicator */
#define MARSHAL_NOT_COUNTED 4 /* messages are not counted (MARSHAL_TRAFFIC=off) */

#ifndef MARSHAL_API
#define MARSHAL_API __attribute__((weak))
#endif

/* (communicator, rank) -> (process group, rank in it). */
MARSHAL_API int marshal_comm_process(MPI_Comm comm, int rank, int* group, int* lpid);

/* (communicator, process group, rank in it) -> rank. */
MARSHAL_API int marshal_comm_rank(MPI_Comm comm, int group, int lpid, int* rank);

/* Ranks in the communicator (in the remote group of an intercommunicator). */
MARSHAL_API int marshal_comm_size(MPI_Comm comm, int* size);

/* The bytes that Marshal keeps for the communicator's map, and its model ("direct", "offset", "stride", …, valid for
 * ever). */
MARSHAL_API int marshal_comm_map(MPI_Comm comm, size_t* bytes, const char** model);

/* The node of a process of group 0 (0, 1, … in the order of lowest ranks), or -1 when not known. */
MARSHAL_API int marshal_node(int lpid);

/* What this process has sent so far to a process of group 0, or, with lpid -1, to all processes of other groups:
 * messages and bytes, all threads together. Takes longer the more processes it sent to. */
MARSHAL_API int marshal_sent(int lpid, unsigned long long* messages, unsigned long long* bytes);

#ifdef __cplusplus
}
#endif

#endif
