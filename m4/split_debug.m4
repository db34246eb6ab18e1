# MARSHAL_SPLIT_DEBUG: whether `make install` puts debug information beside the programs and libraries (packaging/split_debug). They are a
# tenth as large then. Packagers have tools of their own for it: --disable-split-debug.
AC_DEFUN([MARSHAL_SPLIT_DEBUG], [
  AC_ARG_ENABLE([split-debug], [AS_HELP_STRING([--disable-split-debug],
    [install programs and libraries with their debug information inside])], [], [enable_split_debug=yes])
  AC_CHECK_TOOL([OBJCOPY], [objcopy], [no])
  AC_CHECK_TOOL([READELF], [readelf], [no])
  AS_IF([test "$OBJCOPY" = no || test "$READELF" = no], [enable_split_debug=no])
  AM_CONDITIONAL([SPLIT_DEBUG], [test "x$enable_split_debug" = xyes])
])
