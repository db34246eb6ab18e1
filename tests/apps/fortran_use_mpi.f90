! Makes communicators in every way with the interface "use mpi", and shows what it got.
! cluster: nodes=4 ranks=8 env=MARSHAL_SELF_CHECK=on
! cluster: nodes=2 ranks=5 env=MARSHAL_SELF_CHECK=on
program fortran_use_mpi
  use mpi
  implicit none
  include 'communicators_in_every_way.inc'
end program fortran_use_mpi
