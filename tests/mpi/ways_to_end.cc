// A process that ends in the way that the argument names; without one in order. tests/mpi/ends_as_bare runs all ways.
// cluster: nodes=1 ranks=2
#include <mpi.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

namespace {

// Full to the last byte: even a small allocation fails.
void fill_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = 1;
  setrlimit(RLIMIT_AS, &limit);
  for (std::size_t bytes = 1 << 20; bytes >= 8; bytes /= 2)
    while (void* const taken = std::malloc(bytes)) *static_cast<volatile char*>(taken) = 1;
}

void take_more() {
  char* volatile taken = new char[1 << 20];
  delete[] taken;
}

struct EndsInDestructor {
  int status = 0;
  bool throws = false;
  ~EndsInDestructor() noexcept(false) {
    if (throws) throw std::runtime_error("in a destructor");
    if (status != 0) _exit(status);
  }
} static_object;

struct FinalizesInDestructor {
  bool finalizes = false;
  ~FinalizesInDestructor() {
    if (finalizes) MPI_Finalize();
  }
} finalizing_object;

void exit_on_signal(int) { std::exit(3); }
void end_on_signal(int) { _exit(4); }
void wait_for_signal(void (*handler)(int)) {
  std::signal(SIGALRM, handler);
  alarm(1);
  int never;
  MPI_Request request;
  MPI_Irecv(&never, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

int exit_in_delete(MPI_Comm, int, void*, void*) { std::exit(3); }
int exit_in_type_delete(MPI_Datatype, int, void*, void*) { std::exit(3); }
void exit_in_operation(void*, void*, int*, MPI_Datatype*) { std::exit(3); }
void exit_in_handler(MPI_Comm*, int*, ...) { std::exit(3); }
int exit_in_query(void*, MPI_Status*) { std::exit(3); }
int no_free(void*) { return MPI_SUCCESS; }
int no_cancel(void*, int) { return MPI_SUCCESS; }

void free_with_attribute() {
  MPI_Comm communicator;
  int keyval;
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, exit_in_delete, &keyval, nullptr);
  MPI_Comm_set_attr(communicator, keyval, nullptr);
  MPI_Comm_free(&communicator);
}
void free_type_with_attribute() {
  MPI_Datatype type;
  int keyval;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, exit_in_type_delete, &keyval, nullptr);
  MPI_Type_set_attr(type, keyval, nullptr);
  MPI_Type_free(&type);
}
void reduce() {
  MPI_Op operation;
  int in = 1, out = 2;
  MPI_Op_create(exit_in_operation, 1, &operation);
  MPI_Reduce_local(&in, &out, 1, MPI_INT, operation);
}
void fail() {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(exit_in_handler, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Send(nullptr, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD);
}
void complete_request() {
  MPI_Request request;
  MPI_Grequest_start(exit_in_query, no_free, no_cancel, nullptr, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int exit_in_child(int status) {
  const pid_t child = fork();
  if (child == 0) std::exit(status);
  int ended = 0;
  waitpid(child, &ended, 0);
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : 99;
}

void exit_while_cancelled() {
  pthread_cancel(pthread_self());
  std::exit(3);
}

struct Way {
  const char* name;
  void (*end)();
};
constexpr Way ways[] = {
    {"exit", [] { std::exit(3); }},
    {"_exit", [] { _exit(3); }},
    {"quick_exit", [] { std::quick_exit(3); }},
    {"at_quick_exit", [] { std::at_quick_exit([] { _exit(4); }), std::quick_exit(3); }},
    {"abort", [] { std::abort(); }},
    {"terminate", [] { std::terminate(); }},
    {"uncaught", [] { throw std::runtime_error("uncaught"); }},
    {"uncaught_in_thread", [] { std::thread([] { throw 1; }).join(); }},
    {"segv", [] { std::raise(SIGSEGV); }},
    {"term", [] { std::raise(SIGTERM); }},
    {"int", [] { std::raise(SIGINT); }},
    {"kill", [] { std::raise(SIGKILL); }},
    {"exit_in_signal", [] { wait_for_signal(exit_on_signal); }},
    {"_exit_in_signal", [] { wait_for_signal(end_on_signal); }},
    {"finalize_then_exit", [] { MPI_Finalize(), std::exit(3); }},
    {"finalize_in_atexit", [] { std::atexit([] { MPI_Finalize(); }), std::exit(3); }},
    {"finalize_in_destructor", [] { finalizing_object.finalizes = true, std::exit(3); }},
    {"exit_in_atexit", [] { std::atexit([] { std::exit(4); }), std::exit(3); }},
    {"_exit_in_atexit", [] { std::atexit([] { _exit(4); }), std::exit(3); }},
    {"exit_in_destructor", [] { static_object.status = 4, std::exit(3); }},
    {"throw_in_destructor", [] { static_object.throws = true, std::exit(3); }},
    {"exit_in_thread", [] { std::thread([] { std::exit(3); }).join(); }},
    {"exit_in_thread_of_a_waiting_process",
     [] {
       std::thread([] { usleep(300000), std::exit(3); }).detach();
       wait_for_signal(end_on_signal);
     }},
    {"main_thread_ends",
     [] {
       std::thread([] { usleep(300000), std::exit(3); }).detach();
       pthread_exit(nullptr);
     }},
    {"exit_while_cancelled", exit_while_cancelled},
    {"abort_of_mpi", [] { MPI_Abort(MPI_COMM_WORLD, 5); }},
    {"fatal_error", [] { MPI_Send(nullptr, 1, MPI_INT, 1 << 20, 0, MPI_COMM_WORLD); }},
    {"full_memory", [] { fill_memory(), std::exit(3); }},
    {"full_memory_and_return", [] { fill_memory(); }},
    {"full_memory_uncaught", [] { fill_memory(), take_more(); }},
    {"full_memory_in_thread", [] { std::thread([] { fill_memory(), std::exit(3); }).join(); }},
    {"execve", [] { execl("/bin/sh", "sh", "-c", "exit 6", nullptr); }},
    {"child", [] { _exit(exit_in_child(7)); }},
    {"child_then_exit", [] { std::exit(exit_in_child(7)); }},
    {"exit_in_delete_function", free_with_attribute},
    {"exit_in_delete_function_of_type", free_type_with_attribute},
    {"exit_in_operation", reduce},
    {"exit_in_error_handler", fail},
    {"exit_in_query_function", complete_request},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "list") == 0) {
    for (const Way& way : ways) std::puts(way.name);
    return 0;
  }
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm communicator;
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  for (const Way& way : ways)
    if (argc > 1 && std::strcmp(argv[1], way.name) == 0) {
      way.end();
      return 9;
    }
  MPI_Finalize();
  return argc > 1 ? 99 : 0;
}
