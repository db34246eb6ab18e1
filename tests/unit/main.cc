// The Boost.Test runner, compiled once and linked to every unit test program. Test files define no module: they include
// <boost/test/unit_test.hpp> only.
#define BOOST_TEST_MODULE marshal
#include <boost/test/included/unit_test.hpp>
