! The bytes that Marshal counts between nodes are those of the nodes' network interfaces: a program with mpi_f08.
! cluster: nodes=3 ranks=6 interfaces=yes env4=OMPI_MCA_osc=pt2pt
program interface_bytes
  use mpi_f08
  implicit none
  type(MPI_Request) :: got(2), request
  type(MPI_Comm) :: graph
  type(MPI_Win) :: window
  include 'interface_bytes_body.inc'
end program
