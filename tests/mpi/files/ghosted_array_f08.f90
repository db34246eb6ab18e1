! The inside of a ghosted array goes to a file and back by mpi_f08 as from C.
! cluster: nodes=1 ranks=3 env=MARSHAL_FILES=on
program ghosted_array
  use mpi_f08
  implicit none
  type(MPI_File) :: file
  type(MPI_Datatype) :: inside, column, interleaved
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  include 'ghosted_array_body.inc'

  subroutine without_ierror()
    call begin(7)
    call MPI_File_seek(file, at, MPI_SEEK_SET)
    call MPI_File_write_all(file, out, 1, inside, status)
    call MPI_Barrier(MPI_COMM_WORLD)
    call expect_moved('write_all without ierror', 1)
    call MPI_File_read_at(file, at, in, 1, inside, status)
    call expect('read_at without ierror')
    call begin(8)
    call MPI_File_iwrite_at(file, at, out, 1, inside, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_File_read_at_all_begin(file, at, in, 1, inside)
    call MPI_File_read_at_all_end(file, in, status)
    call expect('read_at_all_begin without ierror')
  end subroutine
end program
