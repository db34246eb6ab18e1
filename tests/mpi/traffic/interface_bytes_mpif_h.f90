! The bytes that Marshal counts between nodes are those of the nodes' network interfaces: a program with mpif.h.
! cluster: nodes=3 ranks=6 interfaces=yes env4=OMPI_MCA_osc=pt2pt
program interface_bytes
  implicit none
  include 'mpif.h'
  integer :: got(2), request, graph, window
  include 'interface_bytes_body.inc'
end program
