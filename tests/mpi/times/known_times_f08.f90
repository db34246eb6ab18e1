! The same as known_times.c in Fortran, with mpi_f08: sleeps before barriers and receives, and a wait.
! cluster: nodes=2 ranks=3 times=yes
program known_times_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  include 'known_times_body.inc'
