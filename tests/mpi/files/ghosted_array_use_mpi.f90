! The inside of a ghosted array goes to a file and back by module mpi as from C.
! cluster: nodes=1 ranks=3 env=MARSHAL_FILES=on
program ghosted_array
  use mpi
  implicit none
  include 'ghosted_array_body.inc'
end program
