// C++ exceptions that callbacks of the program throw through MPI: from attribute copy and delete functions, error
// handlers, reduction operations, generalised requests and data representations. Wherever one is caught on the bare
// host, it is caught with Marshal, and calls after it work.
// cluster: nodes=1 ranks=1 args=copy,copy_type,delete,delete_type,delete_window,delete_attribute,error_handler,error_handler_of_grid,operation,many
// cluster: nodes=1 ranks=1 args=error_handler_of_group,threads
// cluster: nodes=1 ranks=1 args=request_query exit=same report=any
// cluster: nodes=1 ranks=1 args=request_free exit=same report=any
// cluster: nodes=1 ranks=1 args=request_cancel exit=same report=any
// cluster: nodes=1 ranks=1 args=representation exit=same report=any
// cluster: nodes=1 ranks=1 args=uncaught exit=same report=any
// cluster: nodes=1 ranks=1 args=at_finalize report=any exit=same
// cluster: nodes=2 ranks=4 args=copy env=MARSHAL_SELF_CHECK=on
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Thrown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Unwinding must destroy the objects that it passes, and no others.
int alive = 0;
struct Passed {
  Passed() { ++alive; }
  ~Passed() { --alive; }
  Passed(const Passed&) = delete;
  Passed& operator=(const Passed&) = delete;
};

[[noreturn]] void throw_it(const char* from) {
  const Passed passed;
  throw Thrown(from);
}

int me = 0;

template <class Call>
void caught(const char* what, Call call) {
  std::string how = "nothing thrown";
  try {
    const Passed passed;
    call();
  } catch (const Thrown& thrown) {
    how = std::string("caught what ") + thrown.what() + " threw";
    if (std::uncaught_exceptions() != 0) how += ", and others are on their way";
  } catch (const std::exception& other) {
    how = std::string("caught something else: ") + other.what();
  }
  std::printf("rank %d: %s: %s%s\n", me, what, how.c_str(), alive != 0 ? ", objects left behind" : "");
  std::fflush(stdout);
}

bool throws = true;
template <class Handle>
int copy_attribute(Handle, int, void*, void*, void*, int* flag) {
  if (throws) throw_it("a copy function");
  *flag = 0;
  return MPI_SUCCESS;
}
template <class Handle>
int end_attribute(Handle, int, void*, void*) {
  if (throws) throw_it("a delete function");
  return MPI_SUCCESS;
}
void handle_error(MPI_Comm*, int*, ...) { throw_it("an error handler"); }
void operate(void*, void*, int*, MPI_Datatype*) { throw_it("an operation"); }
int query(void*, MPI_Status* status) {
  if (throws) throw_it("a query function");
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
int free_request(void*) {
  if (throws) throw_it("a free function");
  return MPI_SUCCESS;
}
int cancel(void*, int) {
  if (throws) throw_it("a cancel function");
  return MPI_SUCCESS;
}
int extent(MPI_Datatype, MPI_Aint* bytes, void*) {
  *bytes = 4;
  throw_it("an extent function");
}
int convert(void*, MPI_Datatype, int, void*, MPI_Offset, void*) { throw_it("a conversion function"); }

// The books are right, and nothing stayed locked.
void works(MPI_Comm communicator) {
  MPI_Comm part = MPI_COMM_NULL, grid = MPI_COMM_NULL;
  int size = 0, rank = -1, dims[2] = {0, 0}, wraps[2] = {0, 1};
  MPI_Comm_split(communicator, 0, 0, &part);
  MPI_Comm_size(part, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(part, 2, dims, wraps, 1, &grid);
  MPI_Comm_rank(part, &rank);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, grid);
  std::printf("rank %d: it goes on, %d processes, sum %d\n", me, size, sum);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&part);
}

// The callback throws in this call, not in later ones.
template <class Call>
void caught_once(const char* what, Call call) {
  caught(what, call);
  throws = false;
  works(MPI_COMM_WORLD);
}

void copy() {
  int keyval = 0;
  MPI_Comm parent = MPI_COMM_NULL, child = MPI_COMM_NULL;
  MPI_Comm_create_keyval(copy_attribute<MPI_Comm>, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &parent);
  MPI_Comm_set_attr(parent, keyval, nullptr);
  caught_once("MPI_Comm_dup", [&] { MPI_Comm_dup(parent, &child); });
}
void copy_of_type() {
  int keyval = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL, twin = MPI_DATATYPE_NULL;
  MPI_Type_create_keyval(copy_attribute<MPI_Datatype>, MPI_TYPE_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_set_attr(type, keyval, nullptr);
  caught_once("MPI_Type_dup", [&] { MPI_Type_dup(type, &twin); });
}
void delete_of_comm() {
  int keyval = 0;
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_attribute<MPI_Comm>, &keyval, nullptr);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &communicator);
  MPI_Comm_set_attr(communicator, keyval, nullptr);
  caught("MPI_Comm_free", [&] { MPI_Comm_free(&communicator); });
  throws = false;
  works(communicator != MPI_COMM_NULL ? communicator : MPI_COMM_WORLD);
}
void delete_of_type() {
  int keyval = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, end_attribute<MPI_Datatype>, &keyval, nullptr);
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_set_attr(type, keyval, nullptr);
  int from[6] = {1, 2, 3, 4, 5, 6}, packed[3] = {}, position = 0;
  MPI_Pack(from, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
  caught_once("MPI_Type_free", [&] { MPI_Type_free(&type); });
}
void delete_of_window() {
  int keyval = 0;
  void* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, end_attribute<MPI_Win>, &keyval, nullptr);
  MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
  MPI_Win_set_attr(window, keyval, nullptr);
  caught_once("MPI_Win_free", [&] { MPI_Win_free(&window); });
}
void delete_attribute() {
  int keyval = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_attribute<MPI_Comm>, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  caught_once("MPI_Comm_delete_attr", [&] { MPI_Comm_delete_attr(MPI_COMM_SELF, keyval); });
}
MPI_Comm with_error_handler() {
  MPI_Errhandler handler;
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_create_errhandler(handle_error, &handler);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &communicator);
  MPI_Comm_set_errhandler(communicator, handler);
  return communicator;
}
void error_handler() {
  MPI_Comm communicator = with_error_handler(), child = MPI_COMM_NULL;
  caught("MPI_Comm_split", [&] { MPI_Comm_split(communicator, -5, 0, &child); });
  caught("MPI_Send", [&] { MPI_Send(nullptr, 0, MPI_INT, 1000, 0, communicator); });
  works(communicator);
}
void error_handler_of_group() {
  MPI_Comm communicator = with_error_handler();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Group group = MPI_GROUP_NULL;
  caught("MPI_Comm_remote_group", [&] { MPI_Comm_remote_group(communicator, &group); });
  works(communicator);
}
void error_handler_of_grid() {
  MPI_Comm communicator = with_error_handler(), grid = MPI_COMM_NULL;
  const int dims[1] = {1000}, wraps[1] = {0};
  int coords[1] = {0};
  caught("MPI_Cart_create", [&] { MPI_Cart_create(communicator, 1, dims, wraps, 1, &grid); });
  caught("MPI_Cart_coords", [&] { MPI_Cart_coords(communicator, 0, 1, coords); });
  works(communicator);
}
void operation() {
  MPI_Op op;
  MPI_Op_create(operate, 1, &op);
  int in = 1, out = 2;
  caught("MPI_Reduce_local", [&] { MPI_Reduce_local(&in, &out, 1, MPI_INT, op); });
  works(MPI_COMM_WORLD);
}
void request(const char* what) {
  MPI_Request request;
  MPI_Grequest_start(query, free_request, cancel, nullptr, &request);
  const bool cancels = what == std::string("request_cancel");
  const bool frees = what == std::string("request_free");
  if (cancels) {
    caught("MPI_Cancel", [&] { MPI_Cancel(&request); });
  } else if (frees) {
    MPI_Grequest_complete(request);
    caught("MPI_Request_free", [&] { MPI_Request_free(&request); });
  } else {
    MPI_Grequest_complete(request);
    caught("MPI_Wait", [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); });
  }
  throws = false;
  works(MPI_COMM_WORLD);
}
void representation() {
  MPI_Register_datarep("thrower", convert, convert, extent, nullptr);
  char name[] = "/tmp/marshal-datarep.XXXXXX";
  const int descriptor = mkstemp(name);
  if (descriptor < 0) return;
  MPI_File file;
  if (MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
    char kind[] = "thrower";
    int value = 7;
    caught("MPI_File_write", [&] {
      MPI_File_set_view(file, 0, MPI_INT, MPI_INT, kind, MPI_INFO_NULL);
      MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    });
    MPI_File_close(&file);
  }
  std::remove(name);
  works(MPI_COMM_WORLD);
}
// Many exceptions leave nothing behind that adds up.
void many() {
  int keyval = 0;
  MPI_Comm_create_keyval(copy_attribute<MPI_Comm>, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  int count = 0;
  for (int i = 0; i < 500; ++i) {
    MPI_Comm child = MPI_COMM_NULL;
    try {
      MPI_Comm_dup(MPI_COMM_SELF, &child);
    } catch (const Thrown&) {
      ++count;
    }
  }
  std::printf("caught %d\n", count);
  throws = false;
  works(MPI_COMM_WORLD);
}
void in_threads() {
  const MPI_Comm communicator = with_error_handler();
  std::vector<std::thread> threads;
  std::vector<int> counts(4);
  for (int& count : counts)
    threads.emplace_back([&count, communicator] {
      for (int i = 0; i < 200; ++i) {
        MPI_Group group;
        try {
          MPI_Comm_remote_group(communicator, &group);
        } catch (const Thrown&) {
          ++count;
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : counts) std::printf("caught %d\n", count);
  works(communicator);
}
void uncaught() {
  std::set_terminate([] {
    std::printf("the program's own terminate handler\n");
    std::fflush(stdout);
    std::_Exit(3);
  });
  int keyval = 0;
  MPI_Comm child;
  MPI_Comm_create_keyval(copy_attribute<MPI_Comm>, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
  const Passed passed;
  struct Reached {
    ~Reached() { std::printf("unwound, though nobody catches\n"), std::fflush(stdout); }
  } const reached;
  MPI_Comm_dup(MPI_COMM_SELF, &child);
}

void run(const std::string& what) {
  throws = true;
  if (what == "copy") copy();
  if (what == "copy_type") copy_of_type();
  if (what == "delete") delete_of_comm();
  if (what == "delete_type") delete_of_type();
  if (what == "delete_window") delete_of_window();
  if (what == "delete_attribute") delete_attribute();
  if (what == "error_handler") error_handler();
  if (what == "error_handler_of_group") error_handler_of_group();
  if (what == "error_handler_of_grid") error_handler_of_grid();
  if (what == "operation") operation();
  if (what.rfind("request_", 0) == 0) request(what.c_str());
  if (what == "representation") representation();
  if (what == "many") many();
  if (what == "threads") in_threads();
  if (what == "uncaught") uncaught();
  if (what == "at_finalize") {
    int keyval = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_attribute<MPI_Comm>, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
    caught("MPI_Finalize", [] { MPI_Finalize(); });
    std::fflush(stdout);
    std::_Exit(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool threads = argc > 1 && argv[argc - 1] == std::string("threads");
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int i = 1; i < argc; ++i) run(argv[i]);
  std::fflush(stdout);
  MPI_Finalize();
  return 0;
}
