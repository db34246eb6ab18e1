// An error handler leaves the call of a message that is too long by an exception, or by longjmp(), as on the bare host:
// the request has ended, and all other messages go on.
//
// cluster: nodes=1 ranks=1 args=throw compare=lines env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=1 ranks=1 args=throw compare=lines env=MARSHAL_MESSAGES=auto
// cluster: nodes=1 ranks=1 args=jump compare=lines report=any env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

enum { rows = 100, ways = 11 };
bool jumps = false;
int handled = 0;
std::jmp_buf back;
MPI_Datatype gapped;
int sent[3 * rows], received[2][2 * rows];

struct Thrown {};

void handler(MPI_Comm*, int*, ...) {
  ++handled;
  if (jumps) std::longjmp(back, 1);
  throw Thrown();
}

void run(int way, MPI_Request* requests, int of) {
  MPI_Status statuses[2];
  int flag = 0, index, done = 0, indices[2];
  switch (way) {
    case 0:
      MPI_Wait(requests, MPI_STATUS_IGNORE);
      break;
    case 1:
      while (!flag) MPI_Test(requests, &flag, statuses);
      break;
    case 2:
      MPI_Waitany(of, requests, &index, statuses);
      break;
    case 3:
      while (!flag) MPI_Testany(of, requests, &index, &flag, MPI_STATUS_IGNORE);
      break;
    case 4:
      MPI_Waitall(of, requests, statuses);
      break;
    case 5:
      while (!flag) MPI_Testall(of, requests, &flag, MPI_STATUSES_IGNORE);
      break;
    case 6:
      while (done == 0) MPI_Waitsome(of, requests, &done, indices, statuses);
      break;
    case 7:
      while (done == 0) MPI_Testsome(of, requests, &done, indices, statuses);
      break;
    case 8:
      while (!flag) MPI_Request_get_status(requests[0], &flag, statuses);
      break;
    case 9:
      MPI_Recv(received[0], 1, gapped, 0, 0, MPI_COMM_WORLD, statuses);
      break;
    default:
      MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, received[0], 1, gapped, 0, 0, MPI_COMM_WORLD, statuses);
  }
}

// The first message is too long by `more`. A request that is left is waited for.
void try_way(int way, int more) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, sends[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  volatile bool caught = false;
  handled = 0;
  std::memset(received, 0x55, sizeof received);
  const bool is_nonblocking = way < 9;
  if (is_nonblocking) MPI_Irecv(received[0], 1, gapped, 0, 0, MPI_COMM_WORLD, &requests[0]);
  if (is_nonblocking) MPI_Irecv(received[1], 1, gapped, 0, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(sent, rows + more, MPI_INT, 0, 0, MPI_COMM_WORLD, &sends[0]);
  if (is_nonblocking) MPI_Isend(sent, rows, MPI_INT, 0, 1, MPI_COMM_WORLD, &sends[1]);
  if (setjmp(back) == 0) {
    try {
      run(way, requests, way % 8 < 2 ? 1 : 2);
    } catch (const Thrown&) {
      caught = true;
    }
  }
  const int handled_in_call = handled;
  for (MPI_Request& request : requests) {
    if (setjmp(back) != 0) continue;
    try {
      if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
    } catch (const Thrown&) {
    }
  }
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  int whole = 0;
  for (int i = 0; i < 2 * rows; ++i) whole += received[1][i] == (i % 2 == 0 ? i / 2 + 1 : 0x55555555);
  std::printf("way %d, %d more: handled %d, caught %d, null %d %d, the other one: %d of %d\n", way, more,
              handled_in_call > 0, static_cast<int>(caught), static_cast<int>(requests[0] == MPI_REQUEST_NULL),
              static_cast<int>(requests[1] == MPI_REQUEST_NULL), jumps ? 0 : whole, 2 * rows);
}

}  // namespace

int main(int argc, char** argv) {
  jumps = argc > 1 && std::string(argv[1]) == "jump";
  MPI_Init(&argc, &argv);
  MPI_Errhandler made;
  MPI_Comm_create_errhandler(handler, &made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, made);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, made);
  MPI_Type_vector(rows, 1, 2, MPI_INT, &gapped);
  MPI_Type_commit(&gapped);
  for (int i = 0; i < 3 * rows; ++i) sent[i] = i + 1;
  for (int repeat = 0; repeat < 3; ++repeat)
    for (int way = 0; way < ways; ++way)
      for (const int more : {0, 1, 2 * rows}) try_way(way, more);
  MPI_Type_free(&gapped);
  MPI_Errhandler_free(&made);
  std::printf("ended\n");
  std::fflush(stdout);
  MPI_Finalize();
}
