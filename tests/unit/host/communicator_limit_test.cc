#include "host/communicator_limit.h"

#include <boost/test/unit_test.hpp>
#include <climits>

using namespace marshal;

BOOST_AUTO_TEST_SUITE(communicator_limit)

BOOST_AUTO_TEST_CASE(versions_that_are_known_have_their_limit) {
  BOOST_TEST(limit_of_version("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7").most == 2048);
  BOOST_TEST(limit_of_version("MPICH Version:      4.2.1\nMPICH Release date: Wed Apr 17").most == 2048);
  BOOST_TEST(limit_of_version("MPICH Version:\t3.4.3\n").most == 2048);
  BOOST_TEST(limit_of_version("MPI VERSION    : CRAY MPICH version 8.1.12.4 (ANL base 3.4a2)\n").most == 4096);
  BOOST_TEST(limit_of_version("MPICH Version:\t9.0\n").most == 0);
  BOOST_TEST(limit_of_version("Open MPI v4.1.4, package: Debian OpenMPI").most == 0);
  BOOST_TEST(limit_of_version("").most == 0);
}

BOOST_AUTO_TEST_CASE(open_mpi_tells_its_limit_where_it_is_as_known_inside) {
  struct {
    void* functions[21] = {};
    unsigned contexts = 65535;
    int tag = INT_MAX;
  } pml;
  const char* const version = "Open MPI v4.1.4, package: Debian OpenMPI";
  BOOST_TEST(limit_of_openmpi(version, &pml, INT_MAX).most == 65535);
  BOOST_TEST(limit_of_openmpi(version, &pml, 32767).most == 0);  // the tags do not agree
  BOOST_TEST(limit_of_openmpi("Open MPI v5.0.1", &pml, INT_MAX).most == 0);
  BOOST_TEST(limit_of_openmpi(version, nullptr, INT_MAX).most == 0);
  pml.contexts = 0;
  BOOST_TEST(limit_of_openmpi(version, &pml, INT_MAX).most == 0);
}

BOOST_AUTO_TEST_SUITE_END()
