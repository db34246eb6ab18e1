! Graph topologies with reorder from mpi_f08: processes move, and have the edges of the vertices that they play.
! cluster: nodes=2 ranks=6 cyclic=yes
program graph_create
  use mpi_f08
  implicit none
  type(MPI_Comm) :: graph
  include 'graph_create_body.inc'
end program
