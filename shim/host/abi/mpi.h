// The part that Marshal uses of MPI with the standard's binary interface (MPI 5.0, Message Passing Interface Forum,
// chapter "MPI Application Binary Interface"): written for libmarshal-abi.so, which so needs no MPI to be built.
// Handles are pointers to nothing, with small numbers as the predefined ones.
#ifndef MARSHAL_HOST_ABI_MPI_H
#define MARSHAL_HOST_ABI_MPI_H

#include <stdint.h>

#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_File* MPI_File;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;
typedef struct MPI_ABI_Session* MPI_Session;
typedef struct MPI_ABI_Win* MPI_Win;
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;
typedef int64_t MPI_Offset;
typedef int MPI_Fint;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

#define MPI_ABI_HANDLE(type, number) ((type)(intptr_t)(number))
#define MPI_MIN MPI_ABI_HANDLE(MPI_Op, 0x22)
#define MPI_MAX MPI_ABI_HANDLE(MPI_Op, 0x23)
#define MPI_MINLOC MPI_ABI_HANDLE(MPI_Op, 0x38)
#define MPI_NO_OP MPI_ABI_HANDLE(MPI_Op, 0x3d)
#define MPI_COMM_NULL MPI_ABI_HANDLE(MPI_Comm, 0x100)
#define MPI_COMM_WORLD MPI_ABI_HANDLE(MPI_Comm, 0x101)
#define MPI_COMM_SELF MPI_ABI_HANDLE(MPI_Comm, 0x102)
#define MPI_GROUP_NULL MPI_ABI_HANDLE(MPI_Group, 0x108)
#define MPI_GROUP_EMPTY MPI_ABI_HANDLE(MPI_Group, 0x109)
#define MPI_WIN_NULL MPI_ABI_HANDLE(MPI_Win, 0x110)
#define MPI_FILE_NULL MPI_ABI_HANDLE(MPI_File, 0x118)
#define MPI_INFO_NULL MPI_ABI_HANDLE(MPI_Info, 0x130)
#define MPI_ERRORS_ARE_FATAL MPI_ABI_HANDLE(MPI_Errhandler, 0x141)
#define MPI_ERRORS_RETURN MPI_ABI_HANDLE(MPI_Errhandler, 0x143)
#define MPI_REQUEST_NULL MPI_ABI_HANDLE(MPI_Request, 0x180)
#define MPI_INT MPI_ABI_HANDLE(MPI_Datatype, 0x209)
#define MPI_2INT MPI_ABI_HANDLE(MPI_Datatype, 0x22b)
#define MPI_DATATYPE_NULL MPI_ABI_HANDLE(MPI_Datatype, 0x200)
#define MPI_BYTE MPI_ABI_HANDLE(MPI_Datatype, 0x247)
#define MPI_INT64_T MPI_ABI_HANDLE(MPI_Datatype, 0x258)
#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_UNWEIGHTED ((int*)10)

enum {
  MPI_SUCCESS = 0,
  MPI_ERR_BUFFER = 1,
  MPI_ERR_COUNT = 2,
  MPI_ERR_TYPE = 3,
  MPI_ERR_ARG = 13,
  MPI_ERR_TRUNCATE = 15,
  MPI_ERR_OTHER = 16,
  MPI_ERR_PENDING = 18,
  MPI_ERR_IN_STATUS = 19,
  MPI_ERR_NO_MEM = 39,
  MPI_ERR_UNSUPPORTED_OPERATION = 55,
  MPI_ANY_SOURCE = -1,
  MPI_ANY_TAG = -2,
  MPI_PROC_NULL = -3,
  MPI_MODE_RDONLY = 16,
  MPI_MODE_SEQUENTIAL = 64,
  MPI_MODE_WRONLY = 256,
  MPI_SEEK_CUR = 401,
  MPI_SEEK_SET = 403,
  MPI_MAX_DATAREP_STRING = 128,
  MPI_MAX_INFO_KEY = 256,
  MPI_ROOT = -4,
  MPI_UNDEFINED = -32766,
  MPI_KEYVAL_INVALID = 0,
  MPI_TAG_UB = 501,
  MPI_CART = 211,
  MPI_GRAPH = 212,
  MPI_DIST_GRAPH = 213,
  MPI_THREAD_SINGLE = 0,
  MPI_THREAD_FUNNELED = 1024,
  MPI_THREAD_SERIALIZED = 2048,
  MPI_THREAD_MULTIPLE = 4096,
  MPI_ORDER_C = 0xc,
  MPI_ORDER_FORTRAN = 0xf,
  MPI_DISTRIBUTE_NONE = 16,
  MPI_DISTRIBUTE_BLOCK = 17,
  MPI_DISTRIBUTE_CYCLIC = 18,
  MPI_DISTRIBUTE_DFLT_DARG = 19,
  MPI_COMBINER_NAMED = 101,
  MPI_COMBINER_DUP = 102,
  MPI_COMBINER_CONTIGUOUS = 103,
  MPI_COMBINER_VECTOR = 104,
  MPI_COMBINER_HVECTOR = 105,
  MPI_COMBINER_INDEXED = 106,
  MPI_COMBINER_HINDEXED = 107,
  MPI_COMBINER_INDEXED_BLOCK = 108,
  MPI_COMBINER_HINDEXED_BLOCK = 109,
  MPI_COMBINER_STRUCT = 110,
  MPI_COMBINER_SUBARRAY = 111,
  MPI_COMBINER_DARRAY = 112,
  MPI_COMBINER_F90_REAL = 113,
  MPI_COMBINER_F90_COMPLEX = 114,
  MPI_COMBINER_F90_INTEGER = 115,
  MPI_COMBINER_RESIZED = 116,
  MPI_IDENT = 201,
  MPI_CONGRUENT = 202,
  MPI_SIMILAR = 203,
  MPI_UNEQUAL = 204,
  MPI_COMM_TYPE_SHARED = 221
};

typedef int MPI_Grequest_query_function(void*, MPI_Status*);
typedef int MPI_Grequest_free_function(void*);
typedef int MPI_Grequest_cancel_function(void*, int);
typedef struct MPI_ABI_Message* MPI_Message;
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void*, void*, void*, int*);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void*, void*);

int PMPI_Abort(MPI_Comm, int);
int PMPI_Allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Alltoallw(const void*, const int[], const int[], const MPI_Datatype[], void*, const int[], const int[],
                   const MPI_Datatype[], MPI_Comm);
int PMPI_Bsend(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Get_elements_x(const MPI_Status*, MPI_Datatype, MPI_Count*);
int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Mrecv(void*, int, MPI_Datatype, MPI_Message*, MPI_Status*);
int PMPI_Neighbor_allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Neighbor_allgatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype, MPI_Comm);
int PMPI_Neighbor_alltoall(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Neighbor_alltoallv(const void*, const int[], const int[], MPI_Datatype, void*, const int[], const int[],
                            MPI_Datatype, MPI_Comm);
int PMPI_Neighbor_alltoallw(const void*, const int[], const MPI_Aint[], const MPI_Datatype[], void*, const int[],
                            const MPI_Aint[], const MPI_Datatype[], MPI_Comm);
int PMPI_Request_free(MPI_Request*);
int PMPI_Rsend(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Sendrecv_replace(void*, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status*);
int PMPI_Ssend(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Status_c2f(const MPI_Status*, MPI_Fint*);
int PMPI_Status_f2c(const MPI_Fint*, MPI_Status*);
int PMPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int PMPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Cancel(MPI_Request*);
int PMPI_Cart_coords(MPI_Comm, int, int, int[]);
int PMPI_Cart_create(MPI_Comm, int, const int[], const int[], int, MPI_Comm*);
int PMPI_Cart_get(MPI_Comm, int, int[], int[], int[]);
int PMPI_Cart_rank(MPI_Comm, const int[], int*);
int PMPI_Cart_shift(MPI_Comm, int, int, int*, int*);
int PMPI_Cart_sub(MPI_Comm, const int[], MPI_Comm*);
int PMPI_Cartdim_get(MPI_Comm, int*);
int PMPI_Graph_neighbors(MPI_Comm, int, int, int*);
int PMPI_Graph_neighbors_count(MPI_Comm, int, int*);
int PMPI_Topo_test(MPI_Comm, int*);
int PMPI_Win_get_group(MPI_Win, MPI_Group*);
int PMPI_Comm_create(MPI_Comm, MPI_Group, MPI_Comm*);
int PMPI_Comm_dup(MPI_Comm, MPI_Comm*);
int PMPI_Comm_free(MPI_Comm*);
int PMPI_Comm_get_attr(MPI_Comm, int, void*, int*);
int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler*);
int PMPI_Comm_get_parent(MPI_Comm*);
int PMPI_Comm_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_rank(MPI_Comm, int*);
int PMPI_Comm_remote_group(MPI_Comm, MPI_Group*);
int PMPI_Comm_remote_size(MPI_Comm, int*);
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int PMPI_Comm_size(MPI_Comm, int*);
int PMPI_Comm_split(MPI_Comm, int, int, MPI_Comm*);
int PMPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm*);
int PMPI_Comm_test_inter(MPI_Comm, int*);
int PMPI_Dist_graph_create_adjacent(MPI_Comm, int, const int[], const int[], int, const int[], const int[], MPI_Info,
                                    int, MPI_Comm*);
int PMPI_Dist_graph_neighbors(MPI_Comm, int, int[], int[], int, int[], int[]);
int PMPI_Dist_graph_neighbors_count(MPI_Comm, int*, int*, int*);
int PMPI_Errhandler_free(MPI_Errhandler*);
int PMPI_Finalized(int*);
int PMPI_Gather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Gatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype, int, MPI_Comm);
int PMPI_Get_count(const MPI_Status*, MPI_Datatype, int*);
int PMPI_Get_elements_x(const MPI_Status*, MPI_Datatype, MPI_Count*);
int PMPI_Get_version(int*, int*);
int PMPI_Graph_create(MPI_Comm, int, const int[], const int[], int, MPI_Comm*);
int PMPI_Grequest_complete(MPI_Request);
int PMPI_Grequest_start(MPI_Grequest_query_function*, MPI_Grequest_free_function*, MPI_Grequest_cancel_function*, void*,
                        MPI_Request*);
int PMPI_Status_set_cancelled(MPI_Status*, int);
int PMPI_Status_set_elements_x(MPI_Status*, MPI_Datatype, MPI_Count);
int PMPI_Group_free(MPI_Group*);
int PMPI_Group_incl(MPI_Group, int, const int[], MPI_Group*);
int PMPI_Group_rank(MPI_Group, int*);
int PMPI_Group_size(MPI_Group, int*);
int PMPI_Group_translate_ranks(MPI_Group, int, const int[], MPI_Group, int[]);
int PMPI_Ibcast(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*);
int PMPI_Ibsend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Igatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype, int, MPI_Comm,
                  MPI_Request*);
int PMPI_Initialized(int*);
int PMPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Ireduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm, MPI_Request*);
int PMPI_Irsend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Issend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
int PMPI_Probe(int, int, MPI_Comm, MPI_Status*);
int PMPI_Query_thread(int*);
int PMPI_Recv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int PMPI_Request_free(MPI_Request*);
int PMPI_Request_get_status(MPI_Request, int*, MPI_Status*);
int PMPI_Scatter(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
int PMPI_Send(const void*, int, MPI_Datatype, int, int, MPI_Comm);
int PMPI_Sendrecv(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
int PMPI_Test(MPI_Request*, int*, MPI_Status*);
int PMPI_Test_cancelled(const MPI_Status*, int*);
int PMPI_Testall(int, MPI_Request[], int*, MPI_Status[]);
int PMPI_Type_commit(MPI_Datatype*);
int PMPI_Type_create_keyval(MPI_Type_copy_attr_function*, MPI_Type_delete_attr_function*, int*, void*);
int PMPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype*);
int PMPI_Type_create_struct(int, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Datatype*);
int PMPI_Type_delete_attr(MPI_Datatype, int);
int PMPI_Type_free(MPI_Datatype*);
int PMPI_Type_get_contents(MPI_Datatype, int, int, int, int[], MPI_Aint[], MPI_Datatype[]);
int PMPI_Type_get_envelope(MPI_Datatype, int*, int*, int*, int*);
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*);
int PMPI_Type_get_true_extent_x(MPI_Datatype, MPI_Count*, MPI_Count*);
int PMPI_Type_set_attr(MPI_Datatype, int, void*);
int PMPI_Type_size_x(MPI_Datatype, MPI_Count*);
int PMPI_Type_vector(int, int, int, MPI_Datatype, MPI_Datatype*);
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm);
int PMPI_Wait(MPI_Request*, MPI_Status*);
int PMPI_Waitall(int, MPI_Request[], MPI_Status[]);

#define MARSHAL_HANDLE(kind, type) \
  type PMPI_##kind##_fromint(int); \
  int PMPI_##kind##_toint(type);
#include "../fortran_handles.table"

#ifdef __cplusplus
}
#endif

#endif
