// libmarshal.so, which is preloaded into any program, whatever its MPI.
//
// It has an entry point for every name of the call table, and does nothing until one of them is called. Then it finds
// the next MPI behind it, decides the family, opens the library for that family from its own directory, and lets the
// entry points lead there. If that is not possible they lead to the host, and the program runs bare. A process that
// never calls MPI loads nothing else; this library needs no C++ runtime.
#include <config.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/launcher.h"
#include "host/host_family.h"
#include "host/host_hooks.h"
#include "host/next_symbol.h"
#include "host/surroundings.h"
#include "wrappers/door/door_settings.h"
#include "wrappers/door/join.h"
#include "wrappers/door/missing_call.h"
#include "wrappers/door/missing_calls.h"
#include "wrappers/door/slots.h"

namespace marshal {
namespace {

constinit const char* const names[slot_count] = {
#define MARSHAL_DOOR(index, symbol) #symbol,
#include "wrappers/door/door_entries.inc"
#undef MARSHAL_DOOR
};

enum class State : int { closed, opening, open };
constinit std::atomic<State> state{State::closed};
constinit std::atomic<const FamilySide*> family{nullptr};

// True if the process was started with a stderr: later, descriptor 2 may be one of the program's own files.
bool had_stderr = false;

bool is_speaker() { return had_stderr && first_of_job(); }

// One line for the job: why the program runs without Marshal.
[[gnu::format(printf, 1, 2)]] void say_why_not(const char* format, ...) {
  if (!is_speaker() || read_door_settings().silent) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > 0) dprintf(STDERR_FILENO, "marshal: %s; going on without Marshal\n", line);
}

// Where libmarshal.so lies: absolute, also where LD_PRELOAD is relative and the program has changed its directory. Not
// "$ORIGIN" in dlopen: a library that wraps dlopen, as the address sanitizer does, makes that its own directory.
void own_directory(char (&path)[PATH_MAX + 64]) {
  Dl_info info;
  void* self = nullptr;
  if (dladdr1(marshal_slots, &info, &self, RTLD_DL_LINKMAP) == 0 || dlinfo(self, RTLD_DI_ORIGIN, path) != 0)
    std::strcpy(path, "$ORIGIN");
}

const FamilySide* open_library(HostFamily of) {
  const char* name = family_library(of);
  char path[PATH_MAX + 64];
  own_directory(path);
  std::strcat(std::strcat(path, "/"), name);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* why = dlerror();
    say_why_not("this program runs on %s, and the library for it cannot be opened: %s", family_name(of),
                why != nullptr ? why : name);
    return nullptr;
  }
  const auto join = reinterpret_cast<Join>(dlsym(library, "marshal_join"));
  const DoorSide door{symbol_finder(), had_stderr};
  const FamilySide* side = join != nullptr ? join(&door) : nullptr;
  if (side == nullptr || std::strcmp(side->version, PACKAGE_VERSION) != 0) {
    say_why_not("%s beside libmarshal.so is of version %s, not " PACKAGE_VERSION, name,
                side != nullptr ? side->version : "(unknown)");
    return nullptr;
  }
  if (side->entry_count != slot_count) {
    say_why_not("%s beside libmarshal.so is of another build: their entry points differ", name);
    return nullptr;
  }
  return side;
}

// Null if the program is to run bare; then a line said why.
const FamilySide* find_family() {
  if (is_marshal_in_front()) return nullptr;
  if (const char* other = marshal_behind()) {
    say_why_not("there are two Marshals in LD_PRELOAD, libmarshal.so and behind it %s", other);
    return nullptr;
  }
  HostVersion version;
  read_host_version(version);
  const HostFamily of = find_host_family(version);
  if (of != HostFamily::unknown) return open_library(of);
  version.text[std::strcspn(version.text, "\n")] = '\0';
  say_why_not("this program runs on an MPI that Marshal does not know (%.80s)",
              version.text[0] != '\0' ? version.text : "it does not name itself");
  return nullptr;
}

void open_door() {
  const FamilySide* side = find_family();
  family.store(side);
  for (std::size_t i = 0; side != nullptr && i < slot_count; ++i)
    __atomic_store_n(&marshal_slots[i], side->entries[i], __ATOMIC_SEQ_CST);
}

// The first time only, whichever thread is first; the others wait.
void open_door_once() {
  State before = State::closed;
  if (state.compare_exchange_strong(before, State::opening, std::memory_order_acq_rel)) {
    open_door();
    state.store(State::open, std::memory_order_release);
  }
  while (state.load(std::memory_order_acquire) == State::opening) sched_yield();
}

// A program that is linked with PAPI and MPI may ask PAPI for Marshal's events before it calls MPI. For all others this
// costs a test of a descriptor and one failing symbol lookup.
[[gnu::constructor]] void at_load() {
  had_stderr = fcntl(STDERR_FILENO, F_GETFD) != -1;
  if (dlsym(RTLD_DEFAULT, "PAPI_library_init") != nullptr && find_host_symbol("PMPI_Init") != nullptr) open_door_once();
}

// Others start the MPI program, and have waited for it.
bool started_others() {
  constexpr const char* starters[] = {"sh",
                                      "ash",
                                      "bash",
                                      "dash",
                                      "ksh",
                                      "zsh",
                                      "csh",
                                      "tcsh",
                                      "fish",
                                      "busybox",
                                      "mpirun",
                                      "mpiexec",
                                      "mpiexec.hydra",
                                      "mpiexec.openmpi",
                                      "mpiexec.mpich",
                                      "orterun",
                                      "prterun",
                                      "prun",
                                      "srun",
                                      "aprun",
                                      "jsrun",
                                      "flux"};
  for (const char* const one : starters)
    if (std::strcmp(program_invocation_short_name, one) == 0) return true;
  rusage of_children;
  return getrusage(RUSAGE_CHILDREN, &of_children) != 0 || of_children.ru_maxrss != 0;
}

// True if `marshal run` became this very program under a launcher: it should have called MPI.
bool is_launched_program() {
  const char* const process = std::getenv(run_process_variable);
  return process != nullptr && std::atol(process) == static_cast<long>(getpid()) && !started_others();
}

[[gnu::destructor]] void at_exit() {
  if (state.load(std::memory_order_acquire) != State::closed || !is_speaker() || is_marshal_in_front()) return;
  // Most processes have nothing to say, and read no settings.
  const bool is_launched = is_launched_program();
  if (!is_launched && !has_mpi_library()) return;
  const DoorSettings settings = read_door_settings();
  if (settings.silent) return;
  char why[512];
  if (!settings.asks_nothing && mpi_began_unseen(why, sizeof why))
    dprintf(STDERR_FILENO, "marshal: MPI ran, and Marshal did not see it begin, so it did nothing: %s\n", why);
  else if (is_launched)
    dprintf(STDERR_FILENO,
            "marshal: %.200s made no MPI call that Marshal could see, so there is no report; `marshal run` belongs in "
            "front of the MPI program itself, and that must be linked with MPI dynamically\n",
            program_invocation_short_name);
}

// The functions of host_hooks.table stand behind the calls. The host and other libraries may call them at any time, so
// they open no door: they lead on to the host until it is open.
bool is_hook(std::size_t index) { return index >= slot_count - host_hook_count; }

void* find_hook(std::size_t index, const void* caller) {
  void* const next = find_symbol_behind(names[index], caller);
  if (next == nullptr) end_without_function(names[index]);
  return next;
}

// The host's function. Where it lacks the call, its MPI_Init lets the door find the host all the same.
void* find_call(std::size_t index, const void* caller) {
  void* const next = find_next_symbol(names[index], caller);
  if (next == nullptr) find_next_symbol("MPI_Init", caller);
  return next;
}

}  // namespace

void* marshal_resolve(std::size_t index, const void* caller) {
  const int kept_errno = errno;
  void* next = is_hook(index) ? find_hook(index, caller) : find_call(index, caller);
  if (!is_hook(index)) open_door_once();
  const FamilySide* side = family.load();
  if (side == nullptr) {
    if (next == nullptr) next = find_missing_call(names[index], caller);
    __atomic_store_n(&marshal_slots[index], next, __ATOMIC_SEQ_CST);
    // Another thread may have opened the door meanwhile: it sets `family` first and the slots then.
    side = family.load();
    if (side != nullptr) __atomic_store_n(&marshal_slots[index], side->entries[index], __ATOMIC_RELEASE);
  }
  if (side != nullptr) next = side->entries[index];
  errno = kept_errno;
  return next;
}

// The functions of marshal.h, which may be called at any time: before the first MPI call no communicator is known.
extern "C" {
#define MARSHAL_EXPORT __attribute__((visibility("default")))
MARSHAL_EXPORT int marshal_comm_process(std::size_t comm, int rank, int* group, int* lpid);
MARSHAL_EXPORT int marshal_comm_rank(std::size_t comm, int group, int lpid, int* rank);
MARSHAL_EXPORT int marshal_comm_size(std::size_t comm, int* size);
MARSHAL_EXPORT int marshal_comm_map(std::size_t comm, std::size_t* bytes, const char** model);
MARSHAL_EXPORT int marshal_node(int lpid);
MARSHAL_EXPORT int marshal_sent(int lpid, unsigned long long* messages, unsigned long long* bytes);

constexpr int unknown_comm = 1;  // MARSHAL_UNKNOWN_COMM
constexpr int not_counted = 4;   // MARSHAL_NOT_COUNTED

int marshal_comm_process(std::size_t comm, int rank, int* group, int* lpid) {
  const FamilySide* side = family.load(std::memory_order_acquire);
  return side != nullptr ? side->comm_process(comm, rank, group, lpid) : unknown_comm;
}
int marshal_comm_rank(std::size_t comm, int group, int lpid, int* rank) {
  const FamilySide* side = family.load(std::memory_order_acquire);
  return side != nullptr ? side->comm_rank(comm, group, lpid, rank) : unknown_comm;
}
int marshal_comm_size(std::size_t comm, int* size) {
  const FamilySide* side = family.load(std::memory_order_acquire);
  return side != nullptr ? side->comm_size(comm, size) : unknown_comm;
}
int marshal_comm_map(std::size_t comm, std::size_t* bytes, const char** model) {
  const FamilySide* side = family.load(std::memory_order_acquire);
  return side != nullptr ? side->comm_map(comm, bytes, model) : unknown_comm;
}
int marshal_node(int lpid) {
  const FamilySide* side = family.load(std::memory_order_acquire);
  return side != nullptr ? side->node(lpid) : -1;
}
int marshal_sent(int lpid, unsigned long long* messages, unsigned long long* bytes) {
  const FamilySide* side = family.load(std::memory_order_acquire);
  return side != nullptr ? side->sent(lpid, messages, bytes) : not_counted;
}
}

// The side of libmarshal.so in calls that the host lacks (missing_call.h), where it opened no library: the program runs
// bare. Errors have their codes, and no handler learns of them.
namespace {

const FamilyConstants& constants_of_host() {
  HostVersion version;
  read_host_version(version);
  return constants_of(find_host_family(version));
}

std::uintptr_t communicator(Language, std::uintptr_t word) { return word; }
bool is_in_place(Language, std::uintptr_t buffer) {
  return buffer == static_cast<std::uintptr_t>(missing_call_side().constants.in_place);
}
void call_error_handler(Language, char, std::uintptr_t, int) {}
// Nobody sees a request or an operation end: arrays stay for good, and there are 64 large operations in all.
void keep_block(Language, std::uintptr_t, void*) {}
void note_operation(Language, std::uintptr_t, int) {}

}  // namespace

const MissingCallSide& missing_call_side() {
  static const MissingCallSide side{constants_of_host(), false,      communicator,  is_in_place,
                                    call_error_handler,  keep_block, note_operation};
  return side;
}

}  // namespace marshal
