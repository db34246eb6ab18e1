# --enable-unity-build: a library's files are compiled several at a time, as parts that include them; headers are read and templates
# instantiated once a part. Sets the conditional UNITY. Whoever changes files builds without it, where each file is compiled by itself.
AC_DEFUN([MARSHAL_UNITY], [
  AC_ARG_ENABLE([unity-build],
    [AS_HELP_STRING([--disable-unity-build], [compile each file by itself: slower for all, faster after a change])],
    [], [enable_unity_build=yes])
  AC_MSG_CHECKING([whether to compile several files at once])
  AC_MSG_RESULT([$enable_unity_build])

  # clang++ warns where a local variable has the name of another file's own.
  unity_warnings=
  MARSHAL_IF_CLANG([unity_warnings=-Wno-shadow])
  AC_SUBST([unity_warnings])
  AM_CONDITIONAL([UNITY], [test "x$enable_unity_build" = xyes])
])
