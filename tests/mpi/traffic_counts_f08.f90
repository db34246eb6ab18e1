! Messages that a program with mpi_f08 sends count, by process, exactly.
! cluster: nodes=3 ranks=6 env4=OMPI_MCA_osc=pt2pt
program traffic_counts
  use mpi_f08
  implicit none
  type(MPI_Comm) :: turned, grid
  type(MPI_Datatype) :: columns
  type(MPI_Request) :: request, got, several(2)
  type(MPI_Win) :: window
  include 'traffic_counts_body.inc'
contains
  include 'traffic_book.inc'

  subroutine without_ierror()
    call MPI_Recv_init(in, 100, MPI_INTEGER, previous, 4, MPI_COMM_WORLD, several(1))
    call MPI_Send_init(out, 11, MPI_INTEGER, next, 4, MPI_COMM_WORLD, several(2))
    call MPI_Startall(2, several)
    call sent(next, 44)
    call MPI_Waitall(2, several, MPI_STATUSES_IGNORE)
    call MPI_Isend(out, 5, MPI_COMPLEX, next, 1, MPI_COMM_WORLD, request)
    call sent(next, 40)
    call MPI_Recv(in, 1000, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(out, 7, MPI_INTEGER, previous, 2, in, 7, MPI_INTEGER, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call sent(previous, 28)
    call MPI_Request_free(several(1))
    call MPI_Request_free(several(2))
    call compare('calls without ierror')
  end subroutine
end program
