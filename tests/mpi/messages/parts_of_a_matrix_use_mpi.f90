! Rows of a matrix and parts of it go to another rank from the module mpi as from C.
! cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
! cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
program parts_of_a_matrix
  use mpi
  implicit none
  integer :: row, inside, absolute(2), types(0:1), others(0:1), requests(2)
  include 'parts_of_a_matrix_body.inc'
  subroutine sections()
  end subroutine
end program
