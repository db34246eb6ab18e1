// Random programs of nonblocking messages between two ranks: what they see of their requests the same as on the bare host.
// Each line is one program of one rank, and thread: the way to wait; of each request its error class, source, tag, count, elements, whether it was
// cancelled, and its memory with the gaps; and the calls of error handlers, by communicator and class. Only
// MPICH has extended requests: on Open MPI nonblocking messages stay its own.
//
// usage: requests_end_as_bare [PROGRAMS [FIRST-SEED [THREADS]]] on two ranks
// cluster: nodes=1 ranks=2 compare=lines timeout=60 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars args=400,1
// cluster: nodes=1 ranks=2 compare=lines timeout=60 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars args=150,1000000,3
// cluster: nodes=1 ranks=2 compare=lines timeout=60 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars env=UCX_TLS=tcp,self args=50,2000000
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/thread_multiple.h"

enum { most = 8, type_count = 9, untouched = -77, room = 700000, at = 4096, never_sent = 900, most_threads = 8 };

typedef struct {
  MPI_Datatype type, element;
  int elements, size, reach;  // of one instance
} Type;
static Type types[type_count];
static int me;

static void commit(int i, MPI_Datatype type, MPI_Datatype element) {
  MPI_Aint lb, extent, true_lb, true_extent;
  int size, element_size;
  MPI_Type_commit(&type);
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent(type, &true_lb, &true_extent);
  MPI_Type_size(type, &size);
  MPI_Type_size(element, &element_size);
  const int reach = (int)(extent > true_lb + true_extent ? extent : true_lb + true_extent);
  types[i] = (Type){type, element, size / element_size, size, reach};
}

static void make_types(void) {
  MPI_Datatype t, u;
  MPI_Type_vector(64, 3, 5, MPI_DOUBLE, &t), commit(0, t, MPI_DOUBLE);
  MPI_Type_vector(700, 1, 2, MPI_INT, &t), commit(1, t, MPI_INT);
  MPI_Type_vector(2500, 1, 3, MPI_DOUBLE, &t), commit(2, t, MPI_DOUBLE);
  int lengths[300], places[300];
  for (int i = 0; i < 300; i++) lengths[i] = 1 + i * 7 % 5, places[i] = 9 * i + i % 3;
  MPI_Type_indexed(300, lengths, places, MPI_INT, &t), commit(3, t, MPI_INT);
  MPI_Type_vector(900, 5, 9, MPI_BYTE, &t), commit(4, t, MPI_BYTE);
  MPI_Type_contiguous(400, MPI_DOUBLE, &t), commit(5, t, MPI_DOUBLE);
  MPI_Type_vector(150, 4, 7, MPI_FLOAT, &u);
  MPI_Type_create_resized(u, 0, 4800, &t), MPI_Type_free(&u), commit(6, t, MPI_FLOAT);
  const int sizes[3] = {24, 24, 24}, parts[3] = {20, 21, 9}, starts[3] = {2, 1, 8};
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &t), commit(7, t, MPI_DOUBLE);
  MPI_Type_vector(9, 1, 2, MPI_DOUBLE, &t), commit(8, t, MPI_DOUBLE);
}

// What a thread has.
typedef struct {
  int programs, has_others;
  uint64_t seed, noise;
  MPI_Comm comm;
  char *text, *from[most], *to[most], *other;
  size_t length, capacity;
} Thread;
static _Thread_local int handled[2][4];  // on the communicator and elsewhere: truncations, errors in statuses, pending, others
static MPI_Comm comms[most_threads];

static void say(Thread* t, const char* format, ...) {
  if (t->length + 2000 > t->capacity) t->text = realloc(t->text, t->capacity = 2 * t->capacity + 4000);
  va_list list;
  va_start(list, format);
  t->length += (size_t)vsnprintf(t->text + t->length, 2000, format, list);
  va_end(list);
}

static int class_of(int code) {
  int class = untouched;
  if (code != untouched) MPI_Error_class(code, &class);
  return class;
}

static void handle(MPI_Comm* comm, int* code, ...) {
  int is_own = 0;
  for (int i = 0; i < most_threads; i++) is_own |= comms[i] != MPI_COMM_NULL && *comm == comms[i];
  const int class = class_of(*code);
  const int which = class == MPI_ERR_TRUNCATE ? 0 : class == MPI_ERR_IN_STATUS ? 1 : class == MPI_ERR_PENDING ? 2 : 3;
  handled[!is_own][which]++;
}

static int number(Thread* t, int first, int last) {
  t->noise ^= t->noise << 13, t->noise ^= t->noise >> 7, t->noise ^= t->noise << 17;
  return first + (int)(t->noise % (uint64_t)(last - first + 1));
}

static uint64_t hash_of(const char* bytes, size_t n) {
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i + 8 <= n; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    hash = (hash ^ word) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash;
}

enum Receive { plain, matched, cancelled, freed };
typedef struct {
  const Type *send_type, *type;
  int sends, receives, tag, wanted_tag, source, kind, send_kind, elements;  // elements: sent instead of instances, if above 0
  int frees_send, used, ended, code, error;
  MPI_Status status;
} Message;

static int bytes_sent(const Message* m) {
  return m->elements > 0 ? m->elements * (m->send_type->size / m->send_type->elements) : m->sends * m->send_type->size;
}

static size_t reach_of(const Type* type, int count) { return (size_t)((at + type->reach * (count + 1) + at) / 8 * 8); }

// Both ranks plan alike.
static int plan(Thread* t, Message* all, int* from_self) {
  const int n = number(t, 1, most), tags = number(t, 0, 3);  // all tags differ; one tag; one tag, any wanted
  *from_self = number(t, 0, 3) == 0;
  for (int i = 0; i < n; i++) {
    Message* m = &all[i];
    memset(m, 0, sizeof *m);
    m->type = m->send_type = &types[number(t, 0, type_count - 1)];
    const int largest = m->type->size > 20000 ? 1 : 4;
    m->sends = number(t, 1, largest);
    m->receives = number(t, 0, 5) ? m->sends : number(t, 1, largest);
    m->tag = tags < 2 ? i : 7;
    m->wanted_tag = tags == 3 ? MPI_ANY_TAG : m->tag;
    m->source = number(t, 0, 2) == 0;
    const int kind = number(t, 0, 15);
    // MPICH 4.0 ends in MPI_Cancel with MPI_THREAD_MULTIPLE.
    m->kind = kind < 11 ? plain : kind < 13 ? matched : tags < 2 && kind == 13 && !t->has_others ? cancelled : tags < 2 && kind == 14 ? freed : plain;
    m->send_kind = number(t, 0, 3);
    if (number(t, 0, 7) == 0 && m->type->size < 3000) m->elements = number(t, 1, m->type->elements);
    m->frees_send = number(t, 0, 15) == 0;
    if (m->kind == freed) m->receives = m->sends, m->elements = 0;
  }
  // With one tag, what is sent first comes to the receive that is posted first. So all go alike.
  for (int i = 1; tags >= 2 && i < n; i++) all[i].type = all[i].send_type = all[0].type, all[i].kind = all[0].kind == matched ? matched : plain;
  for (int i = 0; tags >= 2 && i < n; i++)
    if (all[i].kind != matched) all[i].kind = plain;
  return n;
}

static void fill(Thread* t, char* bytes, size_t n) {
  uint64_t noise = t->noise;
  for (size_t i = 0; i + 8 <= n; i += 8) {
    noise = noise * 6364136223846793005u + 1442695040888963407u;
    memcpy(bytes + i, &noise, 8);
  }
}

static void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  printf("%s: error class %d\n", call, class_of(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void send(Thread* t, Message* m, int i, int peer, int posted, MPI_Request* request) {
  const MPI_Datatype type = m->elements > 0 ? m->send_type->element : m->send_type->type;
  const int count = m->elements > 0 ? m->elements : m->sends;
  const char* from = t->from[i] + at;
  switch (m->send_kind) {
    case 1:
      return check(MPI_Issend(from, count, type, peer, m->tag, t->comm, request), "Issend");
    case 2:
      return check(MPI_Ibsend(from, count, type, peer, m->tag, t->comm, request), "Ibsend");
    case 3:
      if (posted) return check(MPI_Irsend(from, count, type, peer, m->tag, t->comm, request), "Irsend");
      // fallthrough
    default:
      check(MPI_Isend(from, count, type, peer, m->tag, t->comm, request), "Isend");
  }
}

static void receive(Thread* t, Message* m, int i, int peer, MPI_Request* request) {
  const int source = m->source ? MPI_ANY_SOURCE : peer;
  if (m->kind == matched) {
    MPI_Message message;
    int flag = 0;
    if (m->receives % 2 == 0)
      while (!flag) MPI_Improbe(source, m->wanted_tag, t->comm, &flag, &message, MPI_STATUS_IGNORE);
    else
      MPI_Mprobe(source, m->wanted_tag, t->comm, &message, MPI_STATUS_IGNORE);
    return check(MPI_Imrecv(t->to[i] + at, m->receives, m->type->type, &message, request), "Imrecv");
  }
  const int tag = m->kind == cancelled ? never_sent + i : m->wanted_tag;
  check(MPI_Irecv(t->to[i] + at, m->receives, m->type->type, source, tag, t->comm, request), "Irecv");
}

static void end(Message* m, int code, const MPI_Status* status) {
  m->ended = 1;
  m->code = class_of(code);
  m->error = status != NULL ? class_of(status->MPI_ERROR) : untouched;
  if (status != NULL) m->status = *status;
}

// Ends all requests; ended[i] belongs to requests[i].
static void wait_for(Thread* t, int way, MPI_Request* requests, Message** ended, int n) {
  int left = 0, index, flag, some[2 * most + 1];
  MPI_Status statuses[2 * most + 1];
  for (int i = 0; i < n; i++) left += requests[i] != MPI_REQUEST_NULL;
  MPI_Request before[2 * most + 1];
  while (left > 0) {
    int code = MPI_SUCCESS, done = 0;
    flag = 1, index = MPI_UNDEFINED;
    for (int i = 0; i < n; i++) statuses[i].MPI_ERROR = untouched, before[i] = requests[i];
    switch (way) {
      case 0:
      case 1:
      case 2:
        for (index = number(t, 0, n - 1); requests[index] == MPI_REQUEST_NULL;) index = (index + 1) % n;
        if (way == 2)
          do code = MPI_Request_get_status(requests[index], &flag, statuses);
          while (!flag && code == MPI_SUCCESS);
        statuses[0].MPI_ERROR = untouched;
        if (way == 1)
          do code = MPI_Test(&requests[index], &flag, statuses);
          while (!flag && code == MPI_SUCCESS);
        else
          code = MPI_Wait(&requests[index], statuses);
        break;
      case 3:
        code = MPI_Waitany(n, requests, &index, statuses);
        break;
      case 4:
        do code = MPI_Testany(n, requests, &index, &flag, statuses);
        while (!flag && code == MPI_SUCCESS);
        break;
      case 5:
        code = MPI_Waitall(n, requests, statuses);
        break;
      case 6:
        do code = MPI_Testall(n, requests, &flag, statuses);
        while (!flag && code == MPI_SUCCESS);
        break;
      case 7:
        code = MPI_Waitsome(n, requests, &done, some, statuses);
        break;
      case 8:
        do code = MPI_Testsome(n, requests, &done, some, statuses);
        while (done == 0 && code == MPI_SUCCESS);
        break;
      default:
        code = MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    }
    if (way <= 4) {
      if (requests[index] != MPI_REQUEST_NULL) printf("way %d: a request that ended is not null\n", way);
      end(ended[index], code, statuses), left--;
      continue;
    }
    for (int k = 0; (way == 7 || way == 8) && k < done; k++) {
      end(ended[some[k]], code == MPI_ERR_IN_STATUS ? statuses[k].MPI_ERROR : code, &statuses[k]), left--;
      if (requests[some[k]] != MPI_REQUEST_NULL) printf("way %d: a request that ended is not null\n", way);
    }
    for (int i = 0; way != 7 && way != 8 && i < n; i++)
      if (before[i] != MPI_REQUEST_NULL && requests[i] == MPI_REQUEST_NULL)
        end(ended[i], class_of(code) == MPI_ERR_IN_STATUS && way < 9 ? statuses[i].MPI_ERROR : MPI_SUCCESS, way < 9 ? &statuses[i] : NULL), left--;
  }
}

// The bytes of a message that was cut are the host's affair; what is around them is not.
static uint64_t memory_of(Thread* t, Message* m, int i, int is_cut) {
  int position = 0;
  if (is_cut) {
    memset(t->other, 0, (size_t)(m->type->size * m->receives));
    MPI_Unpack(t->other, m->type->size * m->receives, &position, t->to[i] + at, m->receives, m->type->type, t->comm);
  }
  return hash_of(t->to[i], reach_of(m->type, m->receives));
}

// A receive whose request is freed: it has come once its memory is right.
static void wait_for_memory(Thread* t, Message* m, int i) {
  int position = 0, flag;
  char* packed = malloc((size_t)bytes_sent(m));
  MPI_Pack(t->from[i] + at, m->sends, m->type->type, packed, bytes_sent(m), &position, t->comm);
  position = 0;
  for (double begin = MPI_Wtime(); MPI_Wtime() < begin + 20;) {
    MPI_Iprobe(MPI_ANY_SOURCE, never_sent - 1, t->comm, &flag, MPI_STATUS_IGNORE);
    position = 0;
    MPI_Pack(t->to[i] + at, m->receives, m->type->type, t->other, bytes_sent(m), &position, t->comm);
    if (memcmp(t->other, packed, (size_t)bytes_sent(m)) == 0) break;
  }
  free(packed);
}

static void run(Thread* t, uint64_t seed) {
  t->noise = seed * 0x9E3779B97F4A7C15u + 1;
  for (int i = 0; i < 4; i++) number(t, 0, 1);
  Message all[most], sends[most];
  int from_self;
  const int n = plan(t, all, &from_self), peer = from_self ? me : 1 - me, receives_first = number(t, 0, 1), way = number(t, 0, 9), gap = number(t, 0, 3) == 0;
  MPI_Request requests[2 * most + 1];
  Message* ended[2 * most + 1];
  int total = 0;
  memset(handled, 0, sizeof handled);
  memset(sends, 0, sizeof sends);
  for (int i = 0; i < n; i++) {
    fill(t, t->from[i], reach_of(all[i].send_type, all[i].sends));
    memset(t->to[i], 17 + i, reach_of(all[i].type, all[i].receives));
  }
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < n; i++) {
      Message* const m = &all[i];
      MPI_Request request = MPI_REQUEST_NULL;
      if ((half == 0) == receives_first) {
        if (m->kind == matched && receives_first) continue;
        receive(t, m, i, peer, &request);
        ended[total] = m;
        if (m->kind == cancelled) MPI_Cancel(&request);
        if (m->kind == freed) MPI_Request_free(&request);
      } else if (m->kind != cancelled) {
        send(t, m, i, peer, receives_first && m->kind != matched, &request);
        ended[total] = &sends[i];
        if (m->frees_send) MPI_Request_free(&request);
      }
      if (request != MPI_REQUEST_NULL) requests[total++] = request;
    }
    if (half == 0) MPI_Barrier(t->comm);
  }
  for (int i = 0; i < n; i++)
    if (all[i].kind == matched && receives_first) receive(t, &all[i], i, peer, &requests[total]), ended[total++] = &all[i];
  if (gap) requests[total] = MPI_REQUEST_NULL, ended[total++] = NULL;
  wait_for(t, way, requests, ended, total);
  say(t, "seed %llu rank %d way %d", (unsigned long long)seed, me, way);
  for (int i = 0; i < n; i++) {
    Message* const m = &all[i];
    if (m->kind == freed) wait_for_memory(t, m, i);
    const int is_cut = m->kind != cancelled && bytes_sent(m) > m->receives * m->type->size;
    if (sends[i].ended) say(t, "; send %d %d", sends[i].code, way <= 4 ? sends[i].error : 0);
    say(t, "; %d", m->kind);
    if (m->ended && (way < 9)) {
      int count, elements, was_cancelled;
      MPI_Get_count(&m->status, m->type->type, &count);
      MPI_Get_elements(&m->status, m->type->type, &elements);
      MPI_Test_cancelled(&m->status, &was_cancelled);
      if (was_cancelled) count = elements = m->status.MPI_SOURCE = m->status.MPI_TAG = 0;
      // Of a message that was cut, MPICH counts as much as UCX had unpacked.
      if (m->code != MPI_SUCCESS) count = elements = 0;
      say(t, " %d %d from %d %d: %d %d %d", m->code, way <= 4 ? m->error : 0, m->status.MPI_SOURCE, m->status.MPI_TAG, count, elements, was_cancelled);
    }
    say(t, " %016llx", (unsigned long long)memory_of(t, m, i, is_cut));
  }
  // Two that fail in one call of these are one call of the handler on the bare host, if both had come by then.
  for (int k = 0; k < 2 && way >= 6 && way <= 8; k++) handled[k][1] = handled[k][1] > 0;
  for (int k = 0; k < 2; k++) say(t, "; handled %d %d %d %d", handled[k][0], handled[k][1], handled[k][2], handled[k][3]);
  say(t, "\n");
  MPI_Barrier(t->comm);
}

static void* work(void* argument) {
  Thread* const t = argument;
  for (int i = 0; i < t->programs; i++) run(t, t->seed + (uint64_t)i);
  return NULL;
}

int main(int argc, char** argv) {
  const int programs = argc > 1 ? atoi(argv[1]) : 400, threads = argc > 3 ? atoi(argv[3]) : 1;
  if (threads > 1)
    init_thread_multiple(&argc, &argv);
  else
    MPI_Init(&argc, &argv);
  static Thread all[most_threads];
  pthread_t ids[most_threads];
  MPI_Errhandler handler;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)handle, &handler);
  for (int i = 0; i < most_threads; i++) comms[i] = MPI_COMM_NULL;
  for (int i = 0; i < threads; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Comm_set_errhandler(comms[i], handler);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  make_types();
  const size_t attached = 64 << 20;
  MPI_Buffer_attach(malloc(attached), (int)attached);
  for (int i = 0; i < threads; i++) {
    all[i] = (Thread){.programs = programs, .has_others = threads > 1, .seed = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) + (uint64_t)i * 100000000, .comm = comms[i]};
    all[i].other = malloc(room);
    for (int k = 0; k < most; k++) all[i].from[k] = malloc(room), all[i].to[k] = malloc(room);
    if (threads > 1)
      pthread_create(&ids[i], NULL, work, &all[i]);
    else
      work(&all[i]);
  }
  for (int i = 0; i < threads; i++) {
    if (threads > 1) pthread_join(ids[i], NULL);
    if (me == 1) MPI_Ssend(all[i].text, (int)all[i].length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (me == 1) continue;
    fwrite(all[i].text, 1, all[i].length, stdout);
    MPI_Status status;
    int length;
    MPI_Probe(1, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    char* const text = malloc((size_t)length);
    MPI_Recv(text, length, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fwrite(text, 1, (size_t)length, stdout);
    free(text);
  }
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
