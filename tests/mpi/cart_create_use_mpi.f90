! MPI_Cart_create with reorder from the module mpi: cells in row-major order, on other processes than in the given order, and
! MPI_Cart_map and MPI_Dims_create in step.
! cluster: nodes=3 ranks=12 cyclic=yes env=MARSHAL_DIMS=balanced
program cart_create
  use mpi
  implicit none
  include 'cart_create_body.inc'
end program
