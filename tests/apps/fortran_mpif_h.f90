! Makes communicators in every way with the oldest interface, include 'mpif.h', and shows what it got.
! cluster: nodes=4 ranks=8 env=MARSHAL_SELF_CHECK=on
! cluster: nodes=2 ranks=5 env=MARSHAL_SELF_CHECK=on
program fortran_mpif_h
  implicit none
  include 'mpif.h'
  include 'communicators_in_every_way.inc'
end program fortran_mpif_h
