! What PMPI_ functions free from Fortran is forgotten, though its handle comes again: Open MPI's Fortran layer ends in
! PMPI_Comm_free and PMPI_Group_free, MPICH's in MPI_Comm_free and MPI_Group_free.
! cluster: nodes=2 ranks=4
! cluster: nodes=2 ranks=4 env=MARSHAL_SELF_CHECK=on
program freed_by_pmpi
  implicit none
  include 'mpif.h'
  external PMPI_COMM_FREE, PMPI_COMM_SPLIT, PMPI_COMM_COMPARE, PMPI_GROUP_FREE, PMPI_GROUP_EXCL, PMPI_GROUP_COMPARE
  external PMPI_GROUP_TRANSLATE_RANKS
  integer :: error, me, i, first, second, world, found(3), relation, expected(3), relation_expected, wrong
  integer, parameter :: all(4) = [0, 1, 2, 3], excluded(1) = [0]
  wrong = 0
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, me, error)
  call MPI_COMM_GROUP(MPI_COMM_WORLD, world, error)
  do i = 1, 8
    call MPI_COMM_DUP(MPI_COMM_WORLD, first, error)
    call PMPI_COMM_FREE(first, error)
    call PMPI_COMM_SPLIT(MPI_COMM_WORLD, 0, -me, second, error)
    call MPI_COMM_COMPARE(second, MPI_COMM_WORLD, relation, error)
    if (relation /= MPI_SIMILAR) wrong = wrong + 1
    call PMPI_COMM_FREE(second, error)
    call MPI_GROUP_INCL(world, 4, all, first, error)
    call PMPI_GROUP_FREE(first, error)
    call PMPI_GROUP_EXCL(world, 1, excluded, second, error)
    call MPI_GROUP_COMPARE(second, world, relation, error)
    call PMPI_GROUP_COMPARE(second, world, relation_expected, error)
    if (relation /= relation_expected) wrong = wrong + 1
    call MPI_GROUP_TRANSLATE_RANKS(second, 3, all, world, found, error)
    call PMPI_GROUP_TRANSLATE_RANKS(second, 3, all, world, expected, error)
    if (any(found /= expected)) wrong = wrong + 1
    call PMPI_GROUP_FREE(second, error)
  end do
  call MPI_GROUP_FREE(world, error)
  call MPI_FINALIZE(error)
  if (wrong /= 0) print *, 'rank', me, ':', wrong, 'wrong'
  if (wrong /= 0) stop 1
end program
