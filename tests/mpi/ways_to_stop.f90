! A process that ends in the way of Fortran that the argument names; without one in order. tests/mpi/ends_as_bare runs all ways.
! cluster: nodes=1 ranks=2
program ways_to_stop
  use mpi
  implicit none
  integer :: ierror
  character(len=20) :: way
  call get_command_argument(1, way)
  if (way == 'list') then
    print '(a)', 'stop', 'stop_3', 'error_stop', 'error_stop_4', 'exit', 'abort', 'end'
    stop
  end if
  call mpi_init(ierror)
  select case (way)
  case ('stop')
    stop
  case ('stop_3')
    stop 3
  case ('error_stop')
    error stop
  case ('error_stop_4')
    error stop 4
  case ('exit')
    call exit(5)
  case ('abort')
    call abort()
  case ('end')
    continue
  case default
    call mpi_finalize(ierror)
  end select
end program
