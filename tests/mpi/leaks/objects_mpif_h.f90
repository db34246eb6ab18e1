program objects
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, i, k, buffer, world, types(5), groups(5), ops(5), keyvals(5), sends(5), receives(5), &
    requests(5), comms(5)
  integer :: first(1) = 0
  integer(kind=MPI_ADDRESS_KIND) :: state = 0
  external add
  include 'objects_body.inc'
end program

subroutine add(in, inout, count, type)
  integer :: count, type, in(count), inout(count)
  inout = inout + in
end subroutine
