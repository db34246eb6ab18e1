# MARSHAL_LACKS(WHAT, PACKAGE): ends configure, with the package of Debian's that brings it.
AC_DEFUN([MARSHAL_LACKS],
  [AC_MSG_ERROR([$1 is missing: install $2 (Debian's name), or all that Marshal needs by ./quickstart install-packages])])

# MARSHAL_NEEDS(HEADER, PACKAGE)
AC_DEFUN([MARSHAL_NEEDS], [AC_CHECK_HEADERS([$1], [], [MARSHAL_LACKS([$1], [$2])])])
