// A library that makes the inside of an MPI library another one than Marshal knows. OTHER_INSIDE says in which way. It
// does so only for the datatype by which Marshal tries the library out in MPI_Init (7 instances). It is preloaded
// behind libmarshal.so. For MPICH it is preloaded in front, except for `record`. With OTHER_RANK it does so in that
// process of MPICH alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

static int is(const char* way) {
  const char* const wanted = getenv("OTHER_INSIDE");
  const char *const rank = getenv("OTHER_RANK"), *const own = getenv("PMI_RANK");
  const int here = rank == NULL || (own != NULL && strcmp(rank, own) == 0);
  return here && wanted != NULL && strcmp(wanted, way) == 0;
}

typedef int Prepare(void* convertor, const void* type, size_t count, const void* user);
typedef int32_t Advance(void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* moved);
static Advance *original, *usual[2];  // usual: the host's own, to pack and to unpack

// Packs, and one byte is another.
static int32_t other_bytes(void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* moved) {
  const int32_t code = original(convertor, iovecs, iovec_count, moved);
  *(char*)iovecs[0].iov_base ^= 1;
  return code;
}

// Moves parts of a message wrongly.
static int32_t other_parts(void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* moved) {
  const int32_t code = original(convertor, iovecs, iovec_count, moved);
  if (code == 0) *moved -= 4;
  return code;
}

// Where members of Open MPI's convertors stand in 4.1 and 5.0.
enum { flags_at = 20, advance_at = 88 };

// Open MPI 6.0 has other bits for its flags (`flag_word`), and its members elsewhere (`layout`). The host gets its own
// layout back when it prepares the convertor once more; till then nobody may write there.
enum { laid_out = 128 };
static unsigned char in_old_layout[laid_out], in_new_layout[laid_out];
static void* laid_out_anew;

static uint32_t flags_of_6(uint32_t flags) {
  static const uint32_t bits[][2] = {{0x20000, 0x400000}, {0x40000, 0x800000}, {0x80000, 0x1000000}};
  uint32_t made = flags & 0xffff;
  for (int i = 0; i < 3; i++)
    if (flags & bits[i][0]) made |= bits[i][1];
  return made;
}
static void lay_out_anew(void* convertor) {
  // Where the members of 8 bytes come from, in their new order.
  static const int places[] = {40, 48, 56, 32, 96, 88, 120, 112, 24, 72, 80, 128};
  memcpy(in_old_layout, convertor, laid_out);
  memcpy(in_new_layout, convertor, laid_out);
  uint32_t flags;
  memcpy(&flags, in_old_layout + flags_at, sizeof flags);
  flags = flags_of_6(flags);
  if (is("layout"))
    for (int i = 0; i < 12; i++) memcpy(in_new_layout + 16 + 8 * i, (char*)convertor + places[i], 8);
  memcpy(in_new_layout + (is("layout") ? 112 : flags_at), &flags, sizeof flags);
  memcpy(convertor, in_new_layout, laid_out);
  laid_out_anew = convertor;
}
static void lay_out_as_before(void* convertor) {
  if (memcmp(convertor, in_new_layout, laid_out) != 0) {
    fputs("a convertor of another layout is written to\n", stderr);
    abort();
  }
  memcpy(convertor, in_old_layout, laid_out);
  laid_out_anew = NULL;
}

static int prepare(const char* name, void* convertor, const void* type, size_t count, const void* user) {
  const int is_again = convertor == laid_out_anew;
  if (is_again) lay_out_as_before(convertor);
  const int code = ((Prepare*)dlsym(RTLD_NEXT, name))(convertor, type, count, user);
  char* const at = convertor;
  if (count != 7) return code;
  if (!is_again && (is("flag_word") || is("layout"))) lay_out_anew(convertor);
  memcpy(&usual[strstr(name, "send") == NULL], at + advance_at, sizeof usual[0]);
  if (is("flags")) *(uint32_t*)(at + flags_at) |= 0x200000;
  if ((is("bytes") || is("parts")) && strstr(name, "send") != NULL) {
    memcpy(&original, at + advance_at, sizeof original);
    Advance* const mine = is("bytes") ? other_bytes : other_parts;
    memcpy(at + advance_at, &mine, sizeof mine);
  }
  return code;
}
int opal_convertor_prepare_for_send(void* convertor, const void* type, size_t count, const void* user) {
  return prepare(__func__, convertor, type, count, user);
}
int opal_convertor_prepare_for_recv(void* convertor, const void* type, size_t count, const void* user) {
  return prepare(__func__, convertor, type, count, user);
}

// Any position but the begin becomes another one, untold. So does the first raw place.
enum { count_at = 56, converted_at = 120 };
static int is_tried(const void* convertor) {
  size_t count;
  memcpy(&count, (const char*)convertor + count_at, sizeof count);
  return count == 7;
}
int opal_convertor_set_position_nocheck(void* convertor, size_t* position) {
  typedef int SetPosition(void* convertor, size_t* position);
  size_t other = *position + (is("position") && is_tried(convertor) && *position != 0 ? 12 : 0);
  const int code = ((SetPosition*)dlsym(RTLD_NEXT, __func__))(convertor, &other);
  if (other != *position && is("position") && is_tried(convertor))
    memcpy((char*)convertor + converted_at, position, sizeof *position);
  return code;
}

// A part of a message counts as its end, or as a shorter one; or the convertor's own function is called, whichever
// stands in it.
static int32_t move(const char* name, void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* moved) {
  const int unpack = strstr(name, "unpack") != NULL;
  if (is("own_function") && is_tried(convertor)) return usual[unpack](convertor, iovecs, iovec_count, moved);
  const int32_t code = ((Advance*)dlsym(RTLD_NEXT, name))(convertor, iovecs, iovec_count, moved);
  if (code != 0 || !is_tried(convertor)) return code;
  if (is("fragments_received") && unpack) *moved -= 1;
  return is("fragments_sent") && !unpack ? 1 : 0;
}
int32_t opal_convertor_pack(void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* moved) {
  return move(__func__, convertor, iovecs, iovec_count, moved);
}
int32_t opal_convertor_unpack(void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* moved) {
  return move(__func__, convertor, iovecs, iovec_count, moved);
}
// A clone gets the host's own function, whichever stands in the convertor.
int opal_convertor_clone(const void* convertor, void* made, int32_t with_position) {
  typedef int Clone(const void* convertor, void* made, int32_t with_position);
  const int code = ((Clone*)dlsym(RTLD_NEXT, __func__))(convertor, made, with_position);
  if (is("clone") && is_tried(convertor)) memcpy((char*)made + advance_at, &usual[0], sizeof usual[0]);
  return code;
}
int32_t opal_convertor_raw(void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* length) {
  typedef int32_t Raw(void* convertor, struct iovec* iovecs, uint32_t* iovec_count, size_t* length);
  const int32_t code = ((Raw*)dlsym(RTLD_NEXT, __func__))(convertor, iovecs, iovec_count, length);
  if (is("raw") && is_tried(convertor)) iovecs[0].iov_base = (char*)iovecs[0].iov_base + 4;
  return code;
}

typedef struct {
  void* (*start_pack)(void* context, const void* user, size_t count);
  void* (*start_unpack)(void* context, void* user, size_t count);
  size_t (*packed_size)(void* state);
  size_t (*pack)(void* state, size_t offset, void* packed, size_t room);
  signed char (*unpack)(void* state, size_t offset, const void* packed, size_t bytes);
  void (*finish)(void* state);
} Operations;
static Operations host;
static void *trial, *received_trial;
static void* start_pack(void* context, const void* user, size_t count) {
  void* const state = host.start_pack(context, user, count);
  if (count == 7) trial = state;
  return state;
}
static size_t packed_size(void* state) { return host.packed_size(state) + (is("size") && state == trial ? 8 : 0); }
static size_t pack(void* state, size_t offset, void* packed, size_t room) {
  const size_t bytes = host.pack(state, offset, packed, room);
  if (is("bytes") && state == trial) *(char*)packed ^= 1;
  return bytes;
}
static void* start_unpack(void* context, void* user, size_t count) {
  void* const state = host.start_unpack(context, user, count);
  if (count == 7) received_trial = state;
  return state;
}
static signed char unpack(void* state, size_t offset, const void* packed, size_t bytes) {
  const signed char status = host.unpack(state, offset, packed, bytes);
  return is("unpack") && state == received_trial ? -1 : status;
}

// True for the type that is tried, which has 60 bytes. MPICH's handle is the first number of the context. By `late`,
// this type alone goes past Marshal.
static int is_of_trial(const void* context) {
  int flag = 0, handle, size = 0;
  ((int (*)(int*))dlsym(RTLD_DEFAULT, "PMPI_Initialized"))(&flag);
  memcpy(&handle, context, sizeof handle);
  if (flag) ((int (*)(int, int*))dlsym(RTLD_DEFAULT, "PMPI_Type_size"))(handle, &size);
  return size == 60;
}
// Where the trial is refused, Marshal stands in no datatype: UCX's record holds the functions that were given.
static void check_left_alone(const Operations* given, uint64_t made) {
  const int is_refused = is("late") || (trial != NULL && (is("size") || is("bytes") || is("unpack")));
  if (!is_refused || memcmp((char*)(uintptr_t)(made & ~7ULL) + sizeof(void*), given, sizeof *given) == 0) return;
  fputs("a datatype is taken\n", stderr);
  abort();
}

signed char ucp_dt_create_generic(const void* operations, void* context, uint64_t* made) {
  typedef signed char Create(const void* operations, void* context, uint64_t* made);
  static Operations mine;
  if (is("no_ucx") || (is("late") && is_of_trial(context))) {
    // As if it were another function: the one of libucp itself, past Marshal.
    static void* ucp;
    if (ucp == NULL) ucp = dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD);
    return ((Create*)dlsym(ucp, __func__))(operations, context, made);
  }
  memcpy(&host, operations, sizeof host);
  mine = host;
  mine.start_pack = start_pack;
  mine.start_unpack = start_unpack;
  mine.packed_size = packed_size;
  mine.pack = pack;
  mine.unpack = unpack;
  const Operations* const given = is("late") ? &host : &mine;
  const signed char status = ((Create*)dlsym(RTLD_NEXT, __func__))(given, context, made);
  if (status == 0) check_left_alone(given, *made);
  return status;
}
