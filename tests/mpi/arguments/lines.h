// Makes the call of a case, and writes its line: the class of the returned error, the calls of error handlers, and what
// the call wrote. A file that includes it defines _GNU_SOURCE.
#pragma once

#include <dlfcn.h>
#include <stdlib.h>

#include "cases.h"

static const struct Row rows[] = {
#include "rows.inc"
};
enum { row_count = sizeof rows / sizeof *rows };

// Calls that begin or end MPI, or end the process.
static const char never_made[] = "Init Init_thread Finalize Abort";

static FILE* log_file;

// Processes that make the same case meet between its steps, and tell each other their classes. Null: there is one.
static void (*meet)(void);
static int (*tell_class)(int class);  // whether another process failed
static void meet_others(void) {
  if (meet != NULL) meet();
}

// The calls of error handlers since the case began.
static char handled[512];
static void note_error(const char* of, int code) {
  int class = -1;
  PMPI_Error_class(code, &class);
  const size_t n = strlen(handled);
  snprintf(handled + n, sizeof handled - n, " %s:%d", of, class);
}
// Handlers may give another code. MPICH and Open MPI 5 return it; Open MPI 4 returns the first one.
static int makes_success;

static void on_comm(MPI_Comm* comm, int* code, ...) {
  const MPI_Comm c = *comm;
  note_error(c == MPI_COMM_WORLD  ? "world"
             : c == MPI_COMM_SELF ? "self"
             : c == own.comm      ? "comm"
             : c == own.grid      ? "grid"
                                  : "other",
             *code);
  if (makes_success) *code = MPI_SUCCESS;
}
static void on_window(MPI_Win* window, int* code, ...) {
  note_error(*window == own.window ? "window" : "other window", *code);
  if (makes_success) *code = MPI_SUCCESS;
}
static void on_file(MPI_File* file, int* code, ...) {
  note_error(*file == own.file ? "file" : "other file", *code);
  if (makes_success) *code = MPI_SUCCESS;
}

static void choose_handlers(const char* name) {
  own.of_comms = own.of_windows = own.of_files = strcmp(name, "fatal") == 0 ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN;
  makes_success = strcmp(name, "success") == 0;
  if (makes_success || strcmp(name, "count") == 0) {
    MPI_Comm_create_errhandler(on_comm, &own.of_comms);
    MPI_Win_create_errhandler(on_window, &own.of_windows);
    MPI_File_create_errhandler(on_file, &own.of_files);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own.of_comms);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, own.of_comms);
  MPI_File_set_errhandler(MPI_FILE_NULL, own.of_files);
}

static void make_objects(void) {
  const int periods[1] = {1}, dims[1] = {own.size};
  MPI_Comm_dup(MPI_COMM_WORLD, &own.comm);
  MPI_Cart_create(own.comm, 1, dims, periods, 0, &own.grid);
  MPI_Comm_group(own.comm, &own.group);
  MPI_Comm_set_errhandler(own.comm, own.of_comms);
  MPI_Comm_set_errhandler(own.grid, own.of_comms);
  MPI_Win_create(own.in_window, sizeof own.in_window, 1, MPI_INFO_NULL, own.comm, &own.window);
  MPI_Win_set_errhandler(own.window, own.of_windows);
  MPI_Win_lock_all(0, own.window);
  MPI_File_open(MPI_COMM_SELF, "a_file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &own.file);
  if (own.file != MPI_FILE_NULL) MPI_File_set_errhandler(own.file, own.of_files);
  MPI_Type_vector(4, 1, 2, MPI_INT, &own.gaps);
  MPI_Type_commit(&own.gaps);
  MPI_Type_vector(4, 1, 2, MPI_INT, &own.not_committed);
  static char for_bsend[1 << 16];
  MPI_Buffer_attach(for_bsend, sizeof for_bsend);
#ifdef MPI_SESSION_NULL
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  own.session = (Word)session;
#endif
}

// Programs give their variables no handle before the call that makes one.
static void begin_with_null(const struct Row* row) {
  for (int i = 0; i < row->count; ++i) {
    const char* const kind = row->arguments[i].kind;
    if (!ends(kind, "_out")) continue;
    if (begins(kind, "comm")) *(MPI_Comm*)slots[i] = MPI_COMM_NULL;
    if (begins(kind, "group")) *(MPI_Group*)slots[i] = MPI_GROUP_NULL;
    if (begins(kind, "type")) *(MPI_Datatype*)slots[i] = MPI_DATATYPE_NULL;
    if (begins(kind, "win")) *(MPI_Win*)slots[i] = MPI_WIN_NULL;
    if (begins(kind, "file")) *(MPI_File*)slots[i] = MPI_FILE_NULL;
    if (begins(kind, "request")) *(MPI_Request*)slots[i] = MPI_REQUEST_NULL;
  }
}

__attribute__((noinline)) static Word call(void* function, const Word* w) {
  typedef Word (*Any)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);
  return  // a callee ignores the words behind its own
      ((Any)function)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12]);
}

static int marshal_knows(MPI_Comm comm) {
  int size = 0;
  int (*const ask)(MPI_Comm, int*) = (int (*)(MPI_Comm, int*))dlsym(RTLD_DEFAULT, "marshal_comm_size");
  return ask != NULL && ask(comm, &size) == 0;
}

static int is_under_marshal_here(void) { return getenv("LD_PRELOAD") != NULL; }

// A bare host would do this in a call that it lacks: the handler of the call's object learns of it.
static int fail_as_host(const struct Row* row, const Word* words, int code) {
  static const struct {
    const char *kind, *function;
  } handlers[] = {{"file", "PMPI_File_call_errhandler"},
                  {"win", "PMPI_Win_call_errhandler"},
                  {"session", "PMPI_Session_call_errhandler"},
                  {"comm", "PMPI_Comm_call_errhandler"}};
  int version = 0, subversion = 0;
  for (int h = 0; h < 4; ++h)
    for (int i = 0; i < row->count; ++i) {
      int (*const tell)(Word, int) = (int (*)(Word, int))dlsym(RTLD_DEFAULT, handlers[h].function);
      if (!is(row->arguments[i].kind, handlers[h].kind)) continue;
      if (tell != NULL) tell(words[i], code);
      return code;
    }
  PMPI_Get_version(&version, &subversion);
  if (!is(row->name, "Session_init")) PMPI_Comm_call_errhandler(version < 4 ? MPI_COMM_WORLD : MPI_COMM_SELF, code);
  return code;
}

static int is_too_large(const struct Case* given) {
  for (int i = 0; i < most_arguments; ++i)
    if (given->values[i].what == 'b' || given->values[i].what == 'B') return 1;
  return 0;
}

// Makes the call. What the host lacks is made by Marshal's function. Bare, it is the older call, or it fails.
static int make_call(const struct Row* row, const struct Case* given, const Word* words) {
  void* function = find_function(row->name);
  if (function == NULL && is_under_marshal_here()) {
    char name[80];
    snprintf(name, sizeof name, "MPI_%s", row->name);
    function = dlsym(RTLD_DEFAULT, name);
  } else if (function == NULL) {
    function = older_call(row);
    if (function == NULL) return fail_as_host(row, words, MPI_ERR_UNSUPPORTED_OPERATION);
    if (is_too_large(given)) return fail_as_host(row, words, MPI_ERR_COUNT);
  }
  return (int)call(function, words);
}

static int class_of(int code) {
  int class = -1;
  if (code == MPI_SUCCESS) return 0;
  PMPI_Error_class(code, &class);
  return class;
}

// The end of a handle that the call made: what became of it is part of the line. It may take all processes, so it is
// left alone if another one failed.
static int others_failed;
static void end_handle(const struct Row* row, const char* kind, char* at) {
  fprintf(log_file, " %s", kind);
  if (others_failed) {
    fprintf(log_file, " left alone");
    return;
  }
  if (begins(kind, "request")) {
    MPI_Request* request = (MPI_Request*)at;
    if (*request == MPI_REQUEST_NULL) {
      fprintf(log_file, " null");
      return;
    }
    const int is_set_up = strstr(row->name, "_init") != NULL, is_partitioned = begins(row->name, "Psend");
    if (is_set_up && !is_partitioned) fprintf(log_file, " start %d", class_of(MPI_Start(request)));
    if (!is_partitioned) fprintf(log_file, " wait %d", class_of(MPI_Wait(request, MPI_STATUS_IGNORE)));
    if (*request != MPI_REQUEST_NULL) fprintf(log_file, " free %d", class_of(MPI_Request_free(request)));
    return;
  }
#define END_HANDLE(what, type, nothing, end)                   \
  if (begins(kind, what)) {                                    \
    type* handle = (type*)at;                                  \
    fprintf(log_file, *handle == nothing ? " null" : " made"); \
    if (*handle != nothing) end;                               \
    return;                                                    \
  }
  END_HANDLE("comm", MPI_Comm, MPI_COMM_NULL,
             if (*handle != MPI_COMM_WORLD && *handle != MPI_COMM_SELF) MPI_Comm_free(handle))
  END_HANDLE("group", MPI_Group, MPI_GROUP_NULL, if (*handle != MPI_GROUP_EMPTY) MPI_Group_free(handle))
  END_HANDLE("type", MPI_Datatype, MPI_DATATYPE_NULL, if (!begins(row->name, "Type_create_f90")) MPI_Type_free(handle))
  END_HANDLE("win", MPI_Win, MPI_WIN_NULL, MPI_Win_free(handle))
  END_HANDLE("file", MPI_File, MPI_FILE_NULL, MPI_File_close(handle))
}

static unsigned hash_of(const char* bytes, int n) {
  unsigned hash = 0;
  for (int k = 0; k < n; ++k) hash = hash * 31 + (unsigned char)bytes[k];
  return hash;
}

static void write_slot(const struct Row* row, int i, int succeeded, Word word) {
  const char *name = row->arguments[i].name, *kind = row->arguments[i].kind;
  const int is_memory = word == (Word)slots[i];
  if (!is_memory) return;
  if (is(kind, "int_out int_io count_out count_io ints_out logicals_out")) {
    fprintf(log_file, " %s", name);
    int* const numbers = (int*)slots[i];
    // The older call writes an int where the line has an MPI_Count.
    if (makes_older_call && begins(kind, "count_") && numbers[0] < 0) numbers[1] = -1;
    for (int k = 0; k < 4; ++k) fprintf(log_file, " %d", numbers[k]);
  } else if (is(name, "baseptr")) {
    fprintf(log_file, " %s", *(void**)slots[i] == NULL ? "null" : "not null");
  } else if (is(name, "status")) {
    const MPI_Status* status = (MPI_Status*)slots[i];
    if (succeeded) fprintf(log_file, " status %d %d", status->MPI_SOURCE, status->MPI_TAG);
  } else if (is(name, "requests")) {
    end_handle(row, "request", slots[i]);
  } else if (is_out(kind)) {
    // Handles that a failed call did not write still have the pattern, or what they had before.
    unsigned pattern = 0x01010101u * (unsigned)fill_of(i), found;
    memcpy(&found, slots[i], sizeof found);
    if (found == pattern)
      fprintf(log_file, " %s untouched", name);
    else
      end_handle(row, kind, slots[i]);
  } else if (is(kind, "buf") && (succeeded || meet == NULL)) {  // what others sent before an error may have come
    int changed = 0;
    for (int k = 0; k < slot_bytes; ++k) changed |= slots[i][k] != (char)fill_of(i);
    if (changed) fprintf(log_file, " %s %08x", name, hash_of(slots[i], slot_bytes));
  }
}

// A receive for what the call sends, from wherever.
struct Catch {
  MPI_Request request;
  int is_posted;
  char bytes[slot_bytes];
};
static struct Catch catch;

static int is_start(const struct Row* row) { return is(row->name, "Start Startall"); }
static int is_send(const struct Row* row) {
  return is_start(row) ||
         (is(row->part, "messages requests") && place_of(row, "dest") >= 0 && place_of(row, "source") < 0);
}

static int is_to_next(const struct Row* row, const Word* words) {
  return !begins(row->name, "Psend") && words[place_of(row, "comm")] == (Word)own.comm &&
         (int)words[place_of(row, "dest")] == (own.rank + 1) % own.size;
}

static void end_catch(const struct Row* row, int code, const Word* words, int was_started) {
  if (catch.is_posted) {
    const int comes = code == MPI_SUCCESS && !others_failed && (is_start(row) ? was_started : is_to_next(row, words));
    MPI_Status status;
    int bytes = -1;
    if (!comes) MPI_Cancel(&catch.request);
    const int waited = MPI_Wait(&catch.request, &status);
    if (comes) MPI_Get_count(&status, MPI_BYTE, &bytes);
    fprintf(log_file, comes ? " came %d %d" : " nothing came", class_of(waited), bytes);
  }
  // What Sendrecv sent and nobody received.
  for (int more = 1; more;) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own.comm, &more, MPI_STATUS_IGNORE);
    if (more) MPI_Recv(catch.bytes, slot_bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, own.comm, MPI_STATUS_IGNORE);
  }
}

static void run_case(const struct Row* row, const struct Case* given) {
  Word words[most_arguments] = {0};
  makes_older_call = !is_under_marshal_here() && has_older_call(row);
  for (int i = 0; i < row->count; ++i) words[i] = word_of(row, i, given->values[i]);
  if (makes_success) begin_with_null(row);
  catch.is_posted = is_send(row);
  memset(own.in_window, 0x55 + own.place, sizeof own.in_window);
  if (catch.is_posted)
    MPI_Irecv(catch.bytes, slot_bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, own.comm, &catch.request);
  handled[0] = '\0';
  meet_others();
  const int is_active = is_start(row) && (row->count == 1 || (int)words[0] == 1) && words[row->count - 1] != 0 &&
                        *(MPI_Request*)words[row->count - 1] != MPI_REQUEST_NULL;
  const int code = make_call(row, given, words);
  fprintf(log_file, " class %d handlers%s;", class_of(code), handled);
  handled[0] = '\0';
  others_failed = tell_class != NULL && tell_class(class_of(code));
  const int is_one_sided = is(row->part, "one_sided");
  if (is_one_sided) fprintf(log_file, " flush %d", class_of(MPI_Win_flush_all(own.window)));
  // The memory of handles that were not made is no handle.
  for (int i = row->count; i-- > 0;) write_slot(row, i, code == MPI_SUCCESS, words[i]);
  meet_others();
  end_catch(row, code, words, is_active);
  if (is_one_sided) fprintf(log_file, " window %08x", hash_of(own.in_window, sizeof own.in_window));
  fprintf(log_file, " handlers%s\n", handled);
  fflush(log_file);
}

// Programs that have committed types by the thousand and set up persistent requests take other ways through Marshal.
static void warm_up(void) {
  MPI_Request request;
  MPI_Send_init(own.in_window, 1, MPI_INT, own.rank, 0, own.comm, &request);
  MPI_Request_free(&request);
  void* const commit = dlsym(RTLD_DEFAULT, "MPI_Type_commit");
  for (int i = 0; i < 3000; ++i) {
    MPI_Datatype type;
    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    Word words[most_arguments] = {(Word)&type};
    call(commit, words);
    MPI_Type_free(&type);
  }
}
