// A program that uses UCX itself, as libraries below it do: an endpoint of its own, closed before MPI_Init, and a
// datatype that has nothing to do with MPI's. MPI's own datatypes arrive, and those of the program stay as they are.
//
// cluster: nodes=1 ranks=2 needs=/usr/include/ucp/api/ucp.h
// cluster: nodes=1 ranks=2 needs=/usr/include/ucp/api/ucp.h env=UCX_TLS=tcp,self
#include <mpi.h>
#include <stdio.h>
#if !__has_include(<ucp/api/ucp.h>)
int main(void) {
  puts("SKIP: no header of UCX");
  return 0;
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

static int wrong;
static void check(int condition, const char* what) {
  if (condition) return;
  printf("%s\n", what);
  wrong++;
}

// UCX is found as by any library that is linked to it: Marshal stands in front.
static void* find(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen("libucp.so.0", RTLD_NOW | RTLD_GLOBAL);
  void* found = dlsym(RTLD_DEFAULT, name);
  if (library == NULL || found == NULL) {
    printf("SKIP: no %s\n", name);
    exit(0);
  }
  return found;
}
#define UCX(name) ((__typeof__(&name))find(#name))

// A message of the program's datatype is so many bytes of its own making.
enum { bytes = 100 };
static int packed_here;
static void* start_pack(void* context, const void* buffer, size_t count) {
  (void)context, (void)count;
  return (void*)buffer;
}
static void* start_unpack(void* context, void* buffer, size_t count) {
  (void)context, (void)count;
  return buffer;
}
static size_t packed_size(void* state) {
  (void)state;
  return bytes;
}
static size_t pack(void* state, size_t offset, void* to, size_t room) {
  const size_t left = bytes - offset, n = room < left ? room : left;
  memcpy(to, (char*)state + offset, n);
  packed_here++;
  return n;
}
static ucs_status_t unpack(void* state, size_t offset, const void* from, size_t n) {
  memcpy((char*)state + offset, from, n);
  return UCS_OK;
}
static void finish(void* state) { (void)state; }
static const ucp_generic_dt_ops_t operations = {start_pack, start_unpack, packed_size, pack, unpack, finish};

static ucp_context_h context;
static ucp_worker_h worker;
static ucp_ep_h to_self;

static void wait_for(void* request) {
  if (!UCS_PTR_IS_PTR(request)) return;
  while (UCX(ucp_request_check_status)(request) == UCS_INPROGRESS) UCX(ucp_worker_progress)(worker);
  UCX(ucp_request_free)(request);
}

static void open_endpoint(void) {
  ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_TAG};
  ucp_worker_params_t worker_params = {.field_mask = 0};
  ucp_address_t* address;
  size_t length;
  if (UCX(ucp_init_version)(UCP_API_MAJOR, UCP_API_MINOR, &params, NULL, &context) != UCS_OK ||
      UCX(ucp_worker_create)(context, &worker_params, &worker) != UCS_OK ||
      UCX(ucp_worker_get_address)(worker, &address, &length) != UCS_OK) {
    puts("SKIP: UCX does not begin");
    exit(0);
  }
  ucp_ep_params_t ep_params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = address};
  check(UCX(ucp_ep_create)(worker, &ep_params, &to_self) == UCS_OK, "no endpoint");
  UCX(ucp_worker_release_address)(worker, address);
}

static void close_endpoint(void) {
  wait_for(UCX(ucp_ep_close_nb)(to_self, UCP_EP_CLOSE_MODE_FLUSH));
  UCX(ucp_worker_destroy)(worker);
  UCX(ucp_cleanup)(context);
}

// To itself, by its own datatype.
static void send_own(ucp_datatype_t type) {
  char sent[bytes], received[bytes] = {0};
  for (int i = 0; i < bytes; i++) sent[i] = (char)(i + 1);
  const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE, .datatype = type};
  packed_here = 0;
  void* const receive = UCX(ucp_tag_recv_nbx)(worker, received, 1, 7, (ucp_tag_t)-1, &param);
  wait_for(UCX(ucp_tag_send_nbx)(to_self, sent, 1, 7, &param));
  wait_for(receive);
  check(packed_here > 0 && memcmp(sent, received, bytes) == 0, "the program's own datatype is moved otherwise");
}

int main(int argc, char** argv) {
  int begun = 0, me;
  MPI_Initialized(&begun);  // Marshal is there from here on
  ucp_datatype_t own, later;
  check(UCX(ucp_dt_create_generic)(&operations, NULL, &own) == UCS_OK, "no datatype");
  open_endpoint();
  send_own(own);
  // Their memory is given to others, with other contents.
  close_endpoint();
  for (int i = 0; i < 2000; i++) {
    void* volatile block = malloc(16 + i);
    memset(block, 0xAA, 16 + i);
    if (i % 3) free(block);
  }

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  check(UCX(ucp_dt_create_generic)(&operations, NULL, &later) == UCS_OK, "no second datatype");
  MPI_Datatype type;
  MPI_Type_vector(20000, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  int* const user = calloc(40000, sizeof *user);
  for (int round = 0; round < 8; round++) {
    for (int i = 0; i < 40000; i++) user[i] = me == 0 ? i + round : -1;
    if (me == 0)
      MPI_Send(user, 1, type, 1, round, MPI_COMM_WORLD);
    else
      MPI_Recv(user, 1, type, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 40000 - 1; i += 2)
      if (user[i] != i + round) {
        check(0, "a message of MPI's arrives otherwise");
        break;
      }
  }
  open_endpoint();
  send_own(own);
  send_own(later);
  UCX(ucp_dt_destroy)(own);
  UCX(ucp_dt_destroy)(later);
  MPI_Type_free(&type);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: %d wrong\n", me, wrong);
  MPI_Finalize();
  close_endpoint();
  return wrong != 0;
}
#endif
