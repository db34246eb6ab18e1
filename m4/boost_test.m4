# MARSHAL_BOOST_TEST: the runner of the unit tests. Boost's shared library has it ready; where that cannot be linked, as for another
# architecture, the header that defines it all is compiled once (12 s, 540 MB). Sets BOOST_TEST_CPPFLAGS and BOOST_TEST_LIBS.
AC_DEFUN([MARSHAL_BOOST_TEST], [
  AC_MSG_CHECKING([for the library of Boost.Test])
  marshal_saved_CXXFLAGS=$CXXFLAGS marshal_saved_LIBS=$LIBS
  CXXFLAGS="-O0 $MARSHAL_STD" LIBS="-lboost_unit_test_framework $LIBS"
  AC_LINK_IFELSE([AC_LANG_SOURCE([[#define BOOST_TEST_DYN_LINK
#define BOOST_TEST_MODULE conftest
#include <boost/test/unit_test.hpp>]])],
    [BOOST_TEST_CPPFLAGS=-DBOOST_TEST_DYN_LINK BOOST_TEST_LIBS=-lboost_unit_test_framework
     AC_MSG_RESULT([yes])],
    [BOOST_TEST_CPPFLAGS= BOOST_TEST_LIBS=
     AC_MSG_RESULT([no, it is compiled here])])
  CXXFLAGS=$marshal_saved_CXXFLAGS LIBS=$marshal_saved_LIBS
  AC_SUBST([BOOST_TEST_CPPFLAGS])
  AC_SUBST([BOOST_TEST_LIBS])
])
