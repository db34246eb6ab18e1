# C++20 without extensions.
AC_DEFUN([MARSHAL_CXX20], [
  AC_MSG_CHECKING([whether $CXX speaks C++20])
  marshal_saved_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <bit>
#include <span>
enum class Answer : unsigned { yes };]], [[using enum Answer; return std::popcount(std::bit_cast<unsigned>(yes));]])],
    [AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])
     AC_MSG_ERROR([Marshal needs a C++20 compiler, g++ 11 or clang++ 14 at least])])
  CXXFLAGS=$marshal_saved_CXXFLAGS
  AC_SUBST([MARSHAL_STD], [-std=c++20])
])

# MARSHAL_IF_CLANG(COMMANDS) runs COMMANDS if the C++ compiler is clang++, which also says that it is g++.
AC_DEFUN([MARSHAL_IF_CLANG], [
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#ifndef __clang__
#error
#endif]])], [$1])
])

# Warnings always; errors with --enable-werror, as CI does.
AC_DEFUN([MARSHAL_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [turn warnings into errors])])
  MARSHAL_WARN="-Wall -Wextra -Wpedantic -Wconversion -Wshadow"
  AS_IF([test "x$enable_werror" = xyes], [MARSHAL_WARN="$MARSHAL_WARN -Werror"])
  AC_SUBST([MARSHAL_WARN])
])

# --enable-sanitizer=address|undefined|thread, or a list of them with commas.
AC_DEFUN([MARSHAL_SANITIZERS], [
  AC_ARG_ENABLE([sanitizer],
    [AS_HELP_STRING([--enable-sanitizer=LIST], [build with address, undefined or thread sanitizer])],
    [], [enable_sanitizer=no])
  AS_IF([test "x$enable_sanitizer" != xno], [
    MARSHAL_SANITIZE="-fsanitize=$enable_sanitizer -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
    # Beside the address sanitizer, the one for undefined behaviour traps: its messages would be 50 MB of the library, which each rank relocates
    # as it starts. The address sanitizer says where the trap is (ASAN_OPTIONS=handle_sigill=1). Types of objects (vptr) are not checked then.
    AS_CASE([",$enable_sanitizer,"], [*,address,*], [MARSHAL_SANITIZE="$MARSHAL_SANITIZE -fsanitize-undefined-trap-on-error"])
  ])
  # Plain programs that preload a sanitized library need the sanitizers' runtimes before all else.
  SANITIZER_RUNTIMES=
  for marshal_sanitizer in `AS_ECHO(["$enable_sanitizer"]) | tr , ' '`; do
    case $marshal_sanitizer in
      address) marshal_runtime=libasan.so ;;
      undefined) marshal_runtime=libubsan.so ;;
      thread) marshal_runtime=libtsan.so ;;
      *) continue ;;
    esac
    SANITIZER_RUNTIMES="$SANITIZER_RUNTIMES `$CXX -print-file-name=$marshal_runtime`"
  done
  AC_SUBST([SANITIZER_RUNTIMES])
  AM_CONDITIONAL([SANITIZED], [test "x$enable_sanitizer" != xno])
  AC_SUBST([MARSHAL_SANITIZE])
  AC_SUBST([MARSHAL_SANITIZER], [$enable_sanitizer])
])

# ISO_Fortran_binding.h is GCC's: clang finds it in GCC's folder. Sets FORTRAN_BINDING_CPPFLAGS.
AC_DEFUN([MARSHAL_FORTRAN_BINDING], [
  AC_MSG_CHECKING([for ISO_Fortran_binding.h])
  marshal_saved_CPPFLAGS=$CPPFLAGS marshal_found=no
  for FORTRAN_BINDING_CPPFLAGS in "" "-idirafter `gcc -print-file-name=include`"; do
    CPPFLAGS="$marshal_saved_CPPFLAGS $FORTRAN_BINDING_CPPFLAGS"
    AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <ISO_Fortran_binding.h>]])], [marshal_found=yes; break])
  done
  CPPFLAGS=$marshal_saved_CPPFLAGS
  AC_MSG_RESULT([$marshal_found])
  AS_IF([test $marshal_found = no], [AC_MSG_ERROR([ISO_Fortran_binding.h is missing; GCC brings it (Debian: gcc)])])
  AC_SUBST([FORTRAN_BINDING_CPPFLAGS])
])
