// What a recorder writes: one line a call, in a file of each process below $RECORD. Handles and addresses are numbered
// as they appear, handles by their kind; a handle that a call ends has no number any more. Polling that found nothing
// leaves no line. A call inside another one (the host's own, or a callback's) stands before it, with its depth.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// With $RECORD_KEEPS no memory is given back. Else the heap may give a program an address again in one run and a new
// one in another, as Marshal has memory of its own there: then the numbers of buffers differ, though the calls are the
// same.
extern void __libc_free(void*);
extern void* __libc_realloc(void*, size_t);
static int keeps_memory(void) {
  static int keeps = -1;
  if (keeps < 0) keeps = getenv("RECORD_KEEPS") != NULL;
  return keeps;
}
__attribute__((visibility("default"))) void free(void* memory) {
  if (!keeps_memory()) __libc_free(memory);
}
__attribute__((visibility("default"))) void* realloc(void* memory, size_t size) {
  if (!keeps_memory() || memory == NULL || size == 0) return __libc_realloc(memory, size);
  void* const fresh = malloc(size);
  const size_t before = malloc_usable_size(memory);
  if (fresh) memcpy(fresh, memory, before < size ? before : size);
  return fresh;
}

// Handles are numbers or pointers.
#define KEY(handle) ((unsigned long long)(handle))

// A line under way: the calls of a thread are in each other.
struct line {
  char text[4096];
  size_t length;
  unsigned long long given[64];  // handles that the call may end
  int given_count;
};
static __thread struct line lines[16];
static __thread int depth, apart;

struct number {
  const char* kind;
  unsigned long long key;
  int number;
};
static struct number* numbers;
static size_t number_count, number_room;
static struct {
  const char* kind;
  int last;
} kinds[64];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;

// While it is above 0, calls are Marshal's in MPI_Init or MPI_Finalize, or the host's there (front.c).
__attribute__((visibility("default"))) void recorder_apart(int more) { apart += more; }
static int recorder_is_apart(void) { return apart > 0 || depth == 16; }

static void* find_host(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (!found) {
    fprintf(stderr, "recorder: the host has no %s\n", name);
    abort();
  }
  return found;
}

static void open_file(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  char name[4096];
  for (int child = 0; !file && child < 100; child++) {  // programs that are started later have the same ranks
    snprintf(name, sizeof name, "%s/%s.%d", getenv("RECORD"), rank ? rank : "0", child);
    file = fopen(name, "wx");
  }
  if (!file) abort();
}

static void put(const char* format, ...) {
  struct line* line = &lines[depth];
  va_list arguments;
  va_start(arguments, format);
  const int more = vsnprintf(line->text + line->length, sizeof line->text - line->length, format, arguments);
  va_end(arguments);
  line->length += (size_t)more;
  if (line->length >= sizeof line->text) line->length = sizeof line->text - 1;
}

static void begin_line(const char* call) {
  lines[depth].length = 0;
  lines[depth].given_count = 0;
  put("%s", call);
}
// MPICH numbers its messages for errors in the codes' upper bits.
static void put_code(int code) {
#ifdef MPICH_VERSION
  code &= 0x7f;
#endif
  put(" %d", code);
}
static void suspend_line(void) { depth++; }
static void resume_line(int code) {
  depth--;
  put(" ->");
  put_code(code);
}

static void open_file(void);
// The calls in which the process ends.
__attribute__((destructor)) static void write_open_lines(void) {
  if (depth == 0) return;
  if (!file) open_file();
  for (int i = 0; i < depth; i++) fprintf(file, "%*s%s: the process ends here\n", 2 * i, "", lines[i].text);
  fflush(file);
}
static void end_line(int is_kept) {
  if (!is_kept) return;
  pthread_mutex_lock(&mutex);
  if (!file) open_file();
  fprintf(file, "%*s%s\n", 2 * depth, "", lines[depth].text);
  fflush(file);  // the process may be killed
  pthread_mutex_unlock(&mutex);
}

static struct number* find_number(const char* kind, unsigned long long key) {
  for (size_t i = number_count; i-- > 0;)
    if (numbers[i].key == key && !strcmp(numbers[i].kind, kind)) return &numbers[i];
  return NULL;
}

static int number_of(const char* kind, unsigned long long key) {
  pthread_mutex_lock(&mutex);
  struct number* found = find_number(kind, key);
  if (!found) {
    if (number_count == number_room) numbers = realloc(numbers, (number_room = 2 * number_room + 64) * sizeof *numbers);
    int k = 0;
    while (kinds[k].kind && strcmp(kinds[k].kind, kind)) k++;
    kinds[k].kind = kind;
    found = &numbers[number_count++];
    *found = (struct number){kind, key, ++kinds[k].last};
  }
  const int number = found->number;
  pthread_mutex_unlock(&mutex);
  return number;
}

static void put_handle(const char* kind, unsigned long long key) { put(" %s%d", kind + 4, number_of(kind, key)); }

// One that the call may end, or change.
static void put_given(const char* kind, unsigned long long key) {
  struct line* line = &lines[depth];
  if (line->given_count < 64) line->given[line->given_count++] = key;
  put_handle(kind, key);
}

// Number `which` of put_given() is now `key`.
static void put_end(const char* kind, int which, unsigned long long key) {
  struct line* line = &lines[depth];
  if (which >= line->given_count || line->given[which] == key) return;
  pthread_mutex_lock(&mutex);
  struct number* ended = find_number(kind, line->given[which]);
  if (ended) *ended = numbers[--number_count];
  pthread_mutex_unlock(&mutex);
  put(" ended");
}

static void put_address(const void* address) {
  if ((unsigned long long)address < 65536 || address == (void*)-1)
    put(" %lld", (long long)address);
  else
    put(" @%d", number_of("MPI_address", (unsigned long long)address));
}

static void put_number(long long number) {
  if (number >> 40 != 0 && number >> 40 != -1)
    put_address((void*)number);
  else
    put(" %lld", number);
}
#define put_number_at(at)                 \
  do {                                    \
    if (at) put_number((long long)*(at)); \
  } while (0)
static void put_numbers(const int* numbers_given, int count) {
  for (int i = 0; numbers_given && i < count; i++) put(" %d", numbers_given[i]);
}
