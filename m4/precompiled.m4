# --enable-precompiled-headers: most unit tests include the same headers of the standard library; g++ and clang++ can read them compiled. Sets the
# conditional PRECOMPILED. Not by itself with ccache, which recognises no file that was compiled so.
AC_DEFUN([MARSHAL_PRECOMPILED], [
  AC_ARG_ENABLE([precompiled-headers],
    [AS_HELP_STRING([--disable-precompiled-headers], [read the headers of unit tests anew for each])],
    [], [enable_precompiled_headers=auto])
  AC_MSG_CHECKING([whether to compile the headers of unit tests once])
  AS_IF([test "x$enable_precompiled_headers" = xauto],
    [AS_CASE([$CXX], [*ccache*], [enable_precompiled_headers=no], [enable_precompiled_headers=yes])])
  AC_MSG_RESULT([$enable_precompiled_headers])
  AM_CONDITIONAL([PRECOMPILED], [test "x$enable_precompiled_headers" = xyes])

  # Where the standard library switches off a warning that is wrong, g++ forgets it in a header that is compiled. Builds without still warn.
  precompiled_warnings='-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread'
  MARSHAL_IF_CLANG([precompiled_warnings=])
  AC_SUBST([precompiled_warnings])
])
