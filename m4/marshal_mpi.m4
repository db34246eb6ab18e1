# MARSHAL_FIND_MPI: finds one compiler wrapper of each MPI family (Open MPI, MPICH) among --with-mpi=LIST, or the usual
# names. Sets for each family F: HAVE_F, F_MPICC, F_MPICXX, F_MPIFC, F_MPIEXEC, F_CPPFLAGS, F_VERSION.

# MARSHAL_MPI_TRY(WRAPPER): sets marshal_family to OPENMPI, MPICH or nothing.
AC_DEFUN([MARSHAL_MPI_FUNCTIONS], [
marshal_mpi_family () {
  printf '#include <mpi.h>\n#ifdef OMPI_MAJOR_VERSION\nmarshal_family_OPENMPI\n#elif defined(MPICH_VERSION)\nmarshal_family_MPICH\n#endif\n' > conftest.c
  "$[]1" -E conftest.c 2>/dev/null | sed -n 's/^marshal_family_\([[A-Z]]*\)$/\1/p'
  rm -f conftest.c
}
# The wrapper's own sibling: mpicc.mpich -> mpicxx.mpich, /opt/x/bin/mpicc -> /opt/x/bin/mpicxx.
marshal_mpi_sibling () {
  marshal_dir=`dirname "$[]1"` marshal_base=`basename "$[]1"`
  shift_from=$[]1; shift
  for marshal_name in "$[]@"; do
    marshal_candidate=$marshal_dir/`echo "$marshal_base" | sed "s/mpicc/$marshal_name/"`
    if test -x "$marshal_candidate"; then echo "$marshal_candidate"; return; fi
  done
}
marshal_mpi_version () {
  printf '#include <mpi.h>\n#ifdef OMPI_MAJOR_VERSION\nmarshal_is OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION\n#else\nmarshal_is MPICH_VERSION\n#endif\n' > conftest.c
  "$[]1" -E conftest.c 2>/dev/null | sed -n 's/^marshal_is *//p' | tr -d '" '
  rm -f conftest.c
}
])

AC_DEFUN([MARSHAL_MPI_TAKE], [
  $1[]_MPICC=$marshal_wrapper
  $1[]_MPICXX=`marshal_mpi_sibling "$marshal_wrapper" mpicxx mpic++`
  $1[]_MPIFC=`marshal_mpi_sibling "$marshal_wrapper" mpifort mpif90`
  $1[]_MPIEXEC=`marshal_mpi_sibling "$marshal_wrapper" mpiexec mpirun`
  $1[]_VERSION=`marshal_mpi_version "$marshal_wrapper"`
  # Only include paths and macros: the libraries are built with CXX and link no libmpi.
  $1[]_CPPFLAGS=
  for marshal_flag in `"$marshal_wrapper" -show`; do
    case $marshal_flag in -I*|-D*) $1[]_CPPFLAGS="$$1[]_CPPFLAGS `echo $marshal_flag | sed 's/^-I/-isystem /'`" ;; esac
  done
])

AC_DEFUN([MARSHAL_FIND_MPI], [
  MARSHAL_MPI_FUNCTIONS
  AC_ARG_WITH([mpi], [AS_HELP_STRING([--with-mpi=LIST],
    [MPI compiler wrappers to build for, with commas (default: every MPI found); no: only what needs none])],
    [], [with_mpi=auto])
  AS_IF([test "x$with_mpi" = xauto],
    [marshal_wrappers="mpicc.openmpi mpicc.mpich mpicc /usr/lib64/openmpi/bin/mpicc /usr/lib64/mpich/bin/mpicc"],
    [marshal_wrappers=`echo "$with_mpi" | sed 's/^no$//' | tr , ' '`])
  OPENMPI_MPICC= MPICH_MPICC=
  for marshal_wrapper in $marshal_wrappers; do
    marshal_wrapper=`command -v "$marshal_wrapper" 2>/dev/null` || {
      AS_IF([test "x$with_mpi" != xauto], [AC_MSG_ERROR([--with-mpi: $marshal_wrapper not found])])
      continue
    }
    AC_MSG_CHECKING([which MPI is behind $marshal_wrapper])
    marshal_family=`marshal_mpi_family "$marshal_wrapper"`
    AC_MSG_RESULT([${marshal_family:-none that Marshal knows}])
    case $marshal_family in
      OPENMPI) AS_IF([test -z "$OPENMPI_MPICC"], [MARSHAL_MPI_TAKE([OPENMPI])]) ;;
      MPICH) AS_IF([test -z "$MPICH_MPICC"], [MARSHAL_MPI_TAKE([MPICH])]) ;;
    esac
  done
  AS_IF([test -z "$OPENMPI_MPICC$MPICH_MPICC" && test "x$with_mpi" != xno],
    [AC_MSG_ERROR([no MPI found: install Open MPI or MPICH, or name the compiler wrappers with --with-mpi=LIST])])
  m4_foreach_w([marshal_f], [OPENMPI MPICH], [
    AM_CONDITIONAL([HAVE_]marshal_f, [test -n "$]marshal_f[_MPICC"])
    AM_CONDITIONAL([HAVE_]marshal_f[_FORTRAN], [test -n "$]marshal_f[_MPIFC"])
    m4_foreach_w([marshal_v], [MPICC MPICXX MPIFC MPIEXEC CPPFLAGS VERSION], [AC_SUBST(marshal_f[_]marshal_v)])
  ])
])

AC_DEFUN([MARSHAL_MPI_SUMMARY], [
  AS_ECHO(["Marshal $VERSION will be built for:"])
  AS_IF([test -n "$OPENMPI_MPICC"], [AS_ECHO(["  Open MPI $OPENMPI_VERSION ($OPENMPI_MPICC)"])])
  AS_IF([test -n "$MPICH_MPICC"], [AS_ECHO(["  MPICH $MPICH_VERSION ($MPICH_MPICC)"])])
])
