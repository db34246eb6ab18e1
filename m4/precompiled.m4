# --enable-precompiled-headers: most files include the same headers of the standard library; g++ can read them compiled. Sets the conditional
# PRECOMPILED. By itself with g++, but not with ccache, which recognises no file that was compiled so.
AC_DEFUN([MARSHAL_PRECOMPILED], [
  AC_ARG_ENABLE([precompiled-headers],
    [AS_HELP_STRING([--disable-precompiled-headers], [read the standard library's headers anew for each file])],
    [], [enable_precompiled_headers=auto])
  AC_MSG_CHECKING([whether to compile the standard library's headers once])
  AS_IF([test "x$enable_precompiled_headers" = xauto], [
    marshal_is_clang=no
    AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#ifdef __clang__
#error
#endif]])], [], [marshal_is_clang=yes])
    AS_CASE([$CXX/$marshal_is_clang], [*ccache*|*/yes], [enable_precompiled_headers=no], [enable_precompiled_headers=yes])
  ])
  AC_MSG_RESULT([$enable_precompiled_headers])
  AM_CONDITIONAL([PRECOMPILED], [test "x$enable_precompiled_headers" = xyes])
])
