! The inside of a ghosted array goes to a file and back by mpif.h as from C.
! cluster: nodes=1 ranks=3 env=MARSHAL_FILES=on
program ghosted_array
  implicit none
  include 'mpif.h'
  include 'ghosted_array_body.inc'
end program
