# MARSHAL_OPTIMISATION: how far to optimise, where CXXFLAGS does not say it. Sets `optimise_more` for what runs in most MPI calls, and `optimise_less`
# for what plans grids, for the beginning and the end of a job, and for commands and tests: g++ compiles that in three quarters of the time.
# Entry points end in jumps, so that the host's function has the program's frame around it; -O1 alone makes calls of them.
AC_DEFUN([MARSHAL_OPTIMISATION], [
  AS_CASE([" $CXXFLAGS"], [*" -O"*], [optimise_more= optimise_less=], [optimise_more=-O2 optimise_less='-O1 -foptimize-sibling-calls'])
  AC_SUBST([optimise_more])
  AC_SUBST([optimise_less])
])
