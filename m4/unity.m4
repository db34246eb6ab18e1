# --enable-unity-build compiles a library's files several at a time, as parts that include them. Headers are read once a part, and templates
# are instantiated once. Sets the conditional UNITY. Whoever changes files builds without it: each file is compiled by itself.
AC_DEFUN([MARSHAL_UNITY], [
  AC_ARG_ENABLE([unity-build],
    [AS_HELP_STRING([--disable-unity-build], [compile each file by itself: slower for all, faster after a change])],
    [], [enable_unity_build=yes])
  AC_MSG_CHECKING([whether to compile several files at once])
  AC_MSG_RESULT([$enable_unity_build])

  # A local variable may have the name of another file's own. clang++ cannot tell that from a shadow within a file.
  unity_warnings='-Wno-shadow -Wshadow=local'
  MARSHAL_IF_CLANG([unity_warnings=-Wno-shadow])
  AC_SUBST([unity_warnings])
  AM_CONDITIONAL([UNITY], [test "x$enable_unity_build" = xyes])
])
