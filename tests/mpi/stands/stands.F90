! Jobs of stands.c that hang, by MPIF_H, USE_MPI or USE_MPI_F08: stands JOB PLACE RANK SECONDS.
program stands
  use, intrinsic :: iso_c_binding
#if defined(USE_MPI_F08)
  use mpi_f08
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST type(MPI_Request)
#else
#define COMMUNICATOR integer
#define REQUEST integer
#if defined(USE_MPI)
  use mpi
#endif
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  interface
    integer(c_int) function raise(signal) bind(c)
      import
      integer(c_int), value :: signal
    end function
    integer(c_int) function pause() bind(c)
      import
    end function
    integer(c_int) function getppid() bind(c)
      import
    end function
    subroutine of_c_exit(code) bind(c, name='exit')
      import
      integer(c_int), value :: code
    end subroutine
  end interface
  integer, parameter :: tag = 5, other_tag = 6, rows = 16, sigusr1 = 10
  integer :: own, ranks, culprit, seconds, following, code, n, level, values = 1, total, into(2)
  integer, volatile :: place
  logical :: is_done
  COMMUNICATOR :: world, first, second
  REQUEST :: requests(2)
  character(len=32) :: job, word

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, code)
  call get_command_argument(1, job)
  call get_command_argument(2, word)
  read (word, *) place
  call get_command_argument(3, word)
  read (word, *) culprit
  call get_command_argument(4, word)
  read (word, *) seconds
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, own, code)
  call MPI_Comm_size(world, ranks, code)
  following = mod(culprit + 1, ranks)
  do n = 0, place
    call MPI_Barrier(world, code)
  end do
  select case (job)
  case ('missing')
    if (own == culprit) then
      call receive(following, tag)
    else
      call allreduce(world)
    end if
  case ('crossed')
    if (own == culprit) call receive(following, tag)
    if (own == following) call receive(culprit, tag)
    call barrier(world)
  case ('different')
    if (own == culprit) then
      call bcast(following)
    else
      call barrier(world)
    end if
  case ('loop')
    call last_call()
    do while (own == culprit)
      values = mod(getppid(), 7)
    end do
    call allreduce(world)
  case ('read')
    call last_call()
    if (own == culprit) code = pause()
    call allreduce(world)
  case ('stopped')
    call last_call()
    if (own == culprit) code = raise(19)
    call allreduce(world)
  case ('killed', 'ended')
    call last_call()
    call signal(sigusr1, 1) ! is ignored, in case hydra tells the others by it
    if (own == culprit) call sleep(seconds)
    if (own == culprit .and. job == 'killed') code = raise(9)
    if (own == culprit) call of_c_exit(3)
    call allreduce(world)
  case ('communicators')
    call duplicate(first)
    call duplicate(second)
    if (own == culprit) then
      call barrier(second)
    else
      call allreduce(first)
    end if
  case ('wrong_tag')
    if (own == following) call transmit(culprit)
    if (own == culprit) call receive(following, other_tag)
    call barrier(world)
  case ('no_finalize')
    call last_call()
    if (own == culprit) code = pause()
  case ('tests')
    call MPI_Irecv(total, 1, MPI_INTEGER, following, tag, world, requests(1), code)
    do while (own == culprit)
      call test()
    end do
    call barrier(world)
  case ('probes')
    do while (own == culprit)
      call iprobe()
    end do
    call barrier(world)
  case ('some_tests')
    do n = 1, 2
      call MPI_Irecv(into(n), 1, MPI_INTEGER, following, tag + n, world, requests(n), code)
    end do
    do while (own == culprit)
      call testsome()
    end do
    call barrier(world)
  case ('one_row')
    call split(first)
    call last_call()
    if (own == culprit) code = pause()
    call allreduce(first)
    call barrier(world)
  end select
  call finalize()

contains

  subroutine last_call()
    if (own == culprit) call transmit(following)
    if (own == following) call MPI_Recv(total, 1, MPI_INTEGER, culprit, tag, world, MPI_STATUS_IGNORE, code)
  end subroutine
  subroutine barrier(on)
    COMMUNICATOR, intent(in) :: on
    if (place == 0) call MPI_Barrier(on, code) ! HERE barrier 0
    if (place == 1) call MPI_Barrier(on, code) ! HERE barrier 1
    if (place == 2) call MPI_Barrier(on, code) ! HERE barrier 2
  end subroutine
  subroutine allreduce(on)
    COMMUNICATOR, intent(in) :: on
    if (place == 0) call MPI_Allreduce(values, total, 1, MPI_INTEGER, MPI_SUM, on, code) ! HERE allreduce 0
    if (place == 1) call MPI_Allreduce(values, total, 1, MPI_INTEGER, MPI_SUM, on, code) ! HERE allreduce 1
    if (place == 2) call MPI_Allreduce(values, total, 1, MPI_INTEGER, MPI_SUM, on, code) ! HERE allreduce 2
  end subroutine
  subroutine bcast(root)
    integer, intent(in) :: root
    if (place == 0) call MPI_Bcast(values, 1, MPI_INTEGER, root, world, code) ! HERE bcast 0
    if (place == 1) call MPI_Bcast(values, 1, MPI_INTEGER, root, world, code) ! HERE bcast 1
    if (place == 2) call MPI_Bcast(values, 1, MPI_INTEGER, root, world, code) ! HERE bcast 2
  end subroutine
  subroutine receive(from, with)
    integer, intent(in) :: from, with
    if (place == 0) call MPI_Recv(total, 1, MPI_INTEGER, from, with, world, MPI_STATUS_IGNORE, code) ! HERE receive 0
    if (place == 1) call MPI_Recv(total, 1, MPI_INTEGER, from, with, world, MPI_STATUS_IGNORE, code) ! HERE receive 1
    if (place == 2) call MPI_Recv(total, 1, MPI_INTEGER, from, with, world, MPI_STATUS_IGNORE, code) ! HERE receive 2
  end subroutine
  subroutine transmit(to)
    integer, intent(in) :: to
    if (place == 0) call MPI_Send(values, 1, MPI_INTEGER, to, tag, world, code) ! HERE send 0
    if (place == 1) call MPI_Send(values, 1, MPI_INTEGER, to, tag, world, code) ! HERE send 1
    if (place == 2) call MPI_Send(values, 1, MPI_INTEGER, to, tag, world, code) ! HERE send 2
  end subroutine
  subroutine test()
    if (place == 0) call MPI_Test(requests(1), is_done, MPI_STATUS_IGNORE, code) ! HERE test 0
    if (place == 1) call MPI_Test(requests(1), is_done, MPI_STATUS_IGNORE, code) ! HERE test 1
    if (place == 2) call MPI_Test(requests(1), is_done, MPI_STATUS_IGNORE, code) ! HERE test 2
  end subroutine
  subroutine testsome()
    integer :: indices(2)
    if (place == 0) call MPI_Testsome(2, requests, n, indices, MPI_STATUSES_IGNORE, code) ! HERE testsome 0
    if (place == 1) call MPI_Testsome(2, requests, n, indices, MPI_STATUSES_IGNORE, code) ! HERE testsome 1
    if (place == 2) call MPI_Testsome(2, requests, n, indices, MPI_STATUSES_IGNORE, code) ! HERE testsome 2
  end subroutine
  subroutine iprobe()
    if (place == 0) call MPI_Iprobe(following, tag, world, is_done, MPI_STATUS_IGNORE, code) ! HERE iprobe 0
    if (place == 1) call MPI_Iprobe(following, tag, world, is_done, MPI_STATUS_IGNORE, code) ! HERE iprobe 1
    if (place == 2) call MPI_Iprobe(following, tag, world, is_done, MPI_STATUS_IGNORE, code) ! HERE iprobe 2
  end subroutine
  subroutine split(part)
    COMMUNICATOR, intent(out) :: part
    if (place == 0) call MPI_Comm_split(world, mod(own, rows), own, part, code) ! HERE split 0
    if (place == 1) call MPI_Comm_split(world, mod(own, rows), own, part, code) ! HERE split 1
    if (place == 2) call MPI_Comm_split(world, mod(own, rows), own, part, code) ! HERE split 2
  end subroutine
  subroutine duplicate(other)
    COMMUNICATOR, intent(out) :: other
    if (place >= 0) call MPI_Comm_dup(world, other, code) ! HERE dup 0
  end subroutine
  subroutine finalize()
    if (place == 0) call MPI_Finalize(code) ! HERE finalize 0
    if (place == 1) call MPI_Finalize(code) ! HERE finalize 1
    if (place == 2) call MPI_Finalize(code) ! HERE finalize 2
  end subroutine
end program
