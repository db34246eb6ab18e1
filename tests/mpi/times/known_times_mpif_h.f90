! The same as known_times.c in Fortran, with mpif.h: sleeps before barriers and receives, and a wait.
! cluster: nodes=2 ranks=3 times=yes
program known_times_mpif_h
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  include 'mpif.h'
  include 'known_times_body.inc'
