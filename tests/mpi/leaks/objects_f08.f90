module operations
contains
  subroutine add(in, inout, count, type)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr), value :: in, inout
    integer :: count
    type(MPI_Datatype) :: type
  end subroutine
end module

program objects
  use mpi_f08
  use operations
  implicit none
  integer :: ierror, rank, i, k, keyvals(5)
  integer, asynchronous :: buffer
  type(MPI_Group) :: world, groups(5)
  type(MPI_Datatype) :: types(5)
  type(MPI_Op) :: ops(5)
  type(MPI_Request) :: sends(5), receives(5), requests(5)
  type(MPI_Comm) :: comms(5)
  integer :: first(1) = 0
  integer(kind=MPI_ADDRESS_KIND) :: state = 0
  include 'objects_body.inc'
end program
