// The Boost.Test runner, linked to every unit test program: from Boost's library, or compiled here. Test files define
// no module: they include <boost/test/unit_test.hpp> only.
#define BOOST_TEST_MODULE marshal
#ifdef BOOST_TEST_DYN_LINK
#include <boost/test/unit_test.hpp>
#else
#include <boost/test/included/unit_test.hpp>
#endif
