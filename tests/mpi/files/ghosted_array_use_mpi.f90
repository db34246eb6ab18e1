! The inside of a ghosted array goes to a file and back by module mpi as from C.
! cluster: nodes=1 ranks=3 env=MARSHAL_FILES=on
program ghosted_array
  use mpi
  implicit none
  integer :: file, inside, column, interleaved, status(MPI_STATUS_SIZE), request
  include 'ghosted_array_body.inc'
  subroutine without_ierror()
  end subroutine
end program
