! Graph topologies with reorder from mpif.h: processes move, and have the edges of the vertices that they play.
! cluster: nodes=2 ranks=6 cyclic=yes
program graph_create
  implicit none
  include 'mpif.h'
  integer :: graph
  include 'graph_create_body.inc'
end program
