! Messages that a program with mpi_f08 sends count, by process, exactly.
! cluster: nodes=3 ranks=6 env4=OMPI_MCA_osc=pt2pt
program traffic_counts
  use mpi_f08
  implicit none
  integer, parameter :: most = 64
  integer(8) :: messages(0:most) = 0, bytes(0:most) = 0
  integer :: me, ranks, next, previous, wrong = 0, turn, own
  double precision :: out(1000) = 1, in(1000)
  type(MPI_Comm) :: turned, grid
  type(MPI_Datatype) :: columns
  type(MPI_Request) :: request, got, several(2)
  type(MPI_Win) :: window
  integer :: neighbours(4), d, dims(2)
  logical :: periods(2)
  integer(kind=MPI_ADDRESS_KIND) :: place
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = modulo(me + 1, ranks)
  previous = modulo(me - 1, ranks)

  call MPI_Irecv(in, 1000, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, got)
  call MPI_Send(out, 3, MPI_DOUBLE_PRECISION, next, 1, MPI_COMM_WORLD)
  call sent(next, 24)
  call MPI_Wait(got, MPI_STATUS_IGNORE)
  call MPI_Irecv(in, 1000, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, got)
  call MPI_Ssend(out, 2, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
  call sent(next, 8)
  call MPI_Wait(got, MPI_STATUS_IGNORE)
  call MPI_Irecv(in, 1000, MPI_DOUBLE_PRECISION, previous, 1, MPI_COMM_WORLD, got)
  call MPI_Isend(out, 5, MPI_COMPLEX, next, 1, MPI_COMM_WORLD, request)
  call sent(next, 40)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Wait(got, MPI_STATUS_IGNORE)
  call MPI_Send(out, 5, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD)
  call MPI_Sendrecv(out, 7, MPI_INTEGER, previous, 2, in, 7, MPI_INTEGER, next, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call sent(previous, 28)
  call MPI_Sendrecv_replace(out, 9, MPI_INTEGER, next, 2, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call sent(next, 36)
  call compare('sends')

  ! Types and communicators that are made and freed again and again.
  do turn = 1, 12
    call MPI_Type_vector(turn, 2, 3, MPI_DOUBLE_PRECISION, columns)
    call MPI_Type_commit(columns)
    call MPI_Comm_split(MPI_COMM_WORLD, 0, modulo(me + turn, ranks), turned)
    own = modulo(me + turn, ranks)
    call MPI_Irecv(in, 1000, MPI_DOUBLE_PRECISION, modulo(own - 2, ranks), 3, turned, got)
    call MPI_Send(out, 2, columns, modulo(own + 2, ranks), 3, turned)
    call sent(modulo(me + 2, ranks), 32 * turn)
    call MPI_Wait(got, MPI_STATUS_IGNORE)
    call MPI_Comm_free(turned)
    call MPI_Type_free(columns)
  end do
  call compare('derived types and split communicators')

  call MPI_Recv_init(in, 100, MPI_INTEGER, previous, 4, MPI_COMM_WORLD, several(1))
  call MPI_Send_init(out, 11, MPI_INTEGER, next, 4, MPI_COMM_WORLD, several(2))
  do turn = 1, 20
    if (modulo(turn, 2) == 0) then
      call MPI_Startall(2, several)
    else
      call MPI_Start(several(1))
      call MPI_Start(several(2))
    end if
    call MPI_Waitall(2, several, MPI_STATUSES_IGNORE)
    call sent(next, 44)
  end do
  call MPI_Request_free(several(1))
  call MPI_Request_free(several(2))
  call compare('persistent sends')

  dims = [2, ranks / 2]
  periods = [.true., .false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid)
  do d = 0, 1
    call MPI_Cart_shift(grid, d, 1, neighbours(2 * d + 1), neighbours(2 * d + 2))
  end do
  call MPI_Neighbor_alltoall(out, 3, MPI_INTEGER, in, 3, MPI_INTEGER, grid)
  do d = 1, 4
    if (neighbours(d) /= MPI_PROC_NULL) call sent(neighbours(d), 12)
  end do
  call MPI_Comm_free(grid)
  call compare('a neighbourhood collective')

  call MPI_Win_create(in, int(8000, MPI_ADDRESS_KIND), 8, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Win_fence(0, window)
  place = 0
  call MPI_Put(out, 4, MPI_DOUBLE_PRECISION, next, place, 4, MPI_DOUBLE_PRECISION, window)
  call sent(next, 32)
  call MPI_Win_fence(0, window)
  call MPI_Win_free(window)
  call compare('a put')
  call MPI_Finalize()
  if (wrong /= 0) error stop 'counted wrong'
contains
  include 'traffic_book.inc'
end program
