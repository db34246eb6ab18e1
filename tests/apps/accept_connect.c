// The two halves of a job find each other by a port, once with MPI_Comm_accept and connect, once by a socket with MPI_Comm_join.
// cluster: nodes=2 ranks=4 env=MARSHAL_SELF_CHECK=on
#include <arpa/inet.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int me, half;

static void show(const char* name, MPI_Comm across) {
  MPI_Comm merged;
  int rank, size, remote, sum;
  MPI_Comm_remote_size(across, &remote);
  MPI_Intercomm_merge(across, half, &merged);
  MPI_Comm_rank(merged, &rank);
  MPI_Comm_size(merged, &size);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, merged);
  printf("%s: world rank %d sees %d, is %d of %d, sum %d\n", name, me, remote, rank, size, sum);
  MPI_Comm_free(&merged);
}

static int connected_socket(void) { // rank 0 with the last rank, of this one machine
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int socket_of_mine = socket(AF_INET, SOCK_STREAM, 0), last;
  MPI_Comm_size(MPI_COMM_WORLD, &last);
  last--;
  if (me == 0) {
    bind(socket_of_mine, (struct sockaddr*)&address, sizeof address);
    listen(socket_of_mine, 1);
    getsockname(socket_of_mine, (struct sockaddr*)&address, &length);
    MPI_Send(&address.sin_port, 2, MPI_BYTE, last, 1, MPI_COMM_WORLD);
    const int accepted = accept(socket_of_mine, NULL, NULL);
    close(socket_of_mine);
    return accepted;
  }
  MPI_Recv(&address.sin_port, 2, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  connect(socket_of_mine, (struct sockaddr*)&address, sizeof address);
  return socket_of_mine;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  half = me >= ranks / 2;
  MPI_Comm side, across;
  MPI_Comm_split(MPI_COMM_WORLD, half, me, &side);
  char port[MPI_MAX_PORT_NAME] = "";
  if (me == 0) MPI_Open_port(MPI_INFO_NULL, port);
  MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (half) {
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, side, &across);
  } else {
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, side, &across);
  }
  show("accept and connect", across);
  MPI_Comm_disconnect(&across);
  if (me == 0) MPI_Close_port(port);
  if (me == 0 || me == ranks - 1) {
    const int connection = connected_socket();
    if (MPI_Comm_join(connection, &across) == MPI_SUCCESS && across != MPI_COMM_NULL) {
      show("join", across);
      MPI_Comm_disconnect(&across);
    }
    close(connection);
  }
  MPI_Comm_free(&side);
  MPI_Finalize();
  return 0;
}
