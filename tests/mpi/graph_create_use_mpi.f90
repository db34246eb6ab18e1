! Graph topologies with reorder from the module mpi: processes move, and have the edges of the vertices that they play.
! cluster: nodes=2 ranks=6 cyclic=yes
program graph_create
  use mpi
  implicit none
  integer :: graph
  include 'graph_create_body.inc'
end program
