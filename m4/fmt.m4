# MARSHAL_FMT: whether shim/base/fmt_library.cc, which compiles {fmt} once, fits the {fmt} that is installed. If not, every file compiles
# what it uses of it, which any version allows and takes three times as long. Sets FMT_CPPFLAGS.
AC_DEFUN([MARSHAL_FMT], [
  AC_MSG_CHECKING([whether the installed {fmt} can be compiled once])
  marshal_saved_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="-O0 $MARSHAL_STD -fPIC -fvisibility=hidden"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include "$srcdir/shim/base/fmt_library.cc"
#include <string>]], [[const std::string text = fmt::format("{} {:.3f} {:.2f} {:L}", 1, 0.5f, 0.25, 2.0);
    return text.empty();]])],
    [FMT_CPPFLAGS=
     AC_MSG_RESULT([yes])],
    [FMT_CPPFLAGS=-DFMT_HEADER_ONLY
     AC_MSG_RESULT([no, the build will take three times as long])])
  CXXFLAGS=$marshal_saved_CXXFLAGS
  AC_SUBST([FMT_CPPFLAGS])
])
