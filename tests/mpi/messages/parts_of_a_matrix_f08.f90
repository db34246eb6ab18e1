! Rows of a matrix and parts of it go to another rank from mpi_f08 as from C.
! cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
! cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
program parts_of_a_matrix
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: row, inside, absolute(2), types(0:1), others(0:1)
  type(MPI_Request) :: requests(2)
  include 'parts_of_a_matrix_body.inc'

  ! Sections as buffers: the interface makes a datatype or a copy of its own. And no ierror.
  subroutine sections()
    call begin()
    call MPI_Sendrecv(out(3, :), m, MPI_DOUBLE_PRECISION, other, 5, in(7, :), m, MPI_DOUBLE_PRECISION, other, 5, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect_row('a section as buffer')
    call begin()
    call MPI_Isend(out(3, 1), 1, row, other, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Recv(in(7, 1), 1, row, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Waitall(1, requests(2:), MPI_STATUSES_IGNORE)
    call expect_row('Isend without ierror')
    call begin()
    do turn = 0, 1
      if (me == turn) then
        call MPI_Bcast(out(3, :), m, MPI_DOUBLE_PRECISION, turn, MPI_COMM_WORLD)
      else
        call MPI_Bcast(in(7, :), m, MPI_DOUBLE_PRECISION, turn, MPI_COMM_WORLD)
      end if
    end do
    call expect_row('Bcast of a section')
  end subroutine
end program
