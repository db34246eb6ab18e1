#include "host/host_family.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <new>
#include <string>

#include "host/next_symbol.h"

using namespace marshal;

namespace {

// The library behind Marshal: the answer of its PMPI_Get_library_version.
std::string said;
int say_version(char* text, int* length) {
  std::memcpy(text, said.c_str(), said.size() + 1);
  *length = static_cast<int>(said.size());
  return 0;
}

}  // namespace

void* marshal::find_host_symbol(const char* symbol) {
  return std::strcmp(symbol, "PMPI_Get_library_version") == 0 ? reinterpret_cast<void*>(say_version) : nullptr;
}
void* marshal::find_host_object(const char*) { return nullptr; }

BOOST_AUTO_TEST_SUITE(host_family)

// Behind the room for the answer lies memory that must not be touched.
BOOST_AUTO_TEST_CASE(the_longest_version_of_any_mpi_has_room) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t room = (sizeof(HostVersion) + page - 1) / page * page;
  void* mapped = mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  BOOST_TEST_REQUIRE(mapped != MAP_FAILED);
  char* const guard = static_cast<char*>(mapped) + room;
  BOOST_TEST_REQUIRE(mprotect(guard, page, PROT_NONE) == 0);
  auto* version = new (guard - sizeof(HostVersion)) HostVersion;
  for (const std::size_t length : {0, 256, 2019, 8191}) {  // Open MPI's most, MPICH 4.0's own words, MPICH's most
    said = std::string(length, 'x');
    read_host_version(*version);
    BOOST_TEST(std::string(version->text) == said);
  }
  munmap(mapped, room + page);
}

BOOST_AUTO_TEST_CASE(the_abi_tells_and_not_the_words) {
  BOOST_TEST((family_of("/usr/lib/libmpi.so.40", true, "Open MPI v4.1.4, package: …") == HostFamily::openmpi));
  BOOST_TEST((family_of("/opt/ibm/lib/libmpi_ibm.so.3", true, "IBM Spectrum MPI v10.3.1") == HostFamily::openmpi));
  BOOST_TEST((family_of("/opt/FJSV/lib64/libmpi.so.0", true, "FUJITSU MPI Library 4.0.0") == HostFamily::openmpi));
  BOOST_TEST((family_of("/usr/lib/libmpi_abi.so.1", true, "Open MPI v6.0.0") == HostFamily::abi));
  BOOST_TEST((family_of("/lib/libmpi_abi_mpich.so.1.0.0", false, "MPICH Version: 5.0.2") == HostFamily::abi));
}

BOOST_AUTO_TEST_CASE(kin_of_mpich_is_known_by_its_words) {
  for (const char* version :
       {"MPICH Version:\t4.0.2\nMPICH Release date:\t…",
        "MPI VERSION    : CRAY MPICH version 8.1.21 (ANL base 3.4a2)\n", "MVAPICH2 Version      :\t2.3.7\n",
        "MVAPICH Version:\t3.0\n", "Intel(R) MPI Library 2021.6 for Linux* OS\n", "ParaStation MPI 5.10.0-1\n"})
    BOOST_TEST((family_of("/lib/libmpi.so.12", false, version) == HostFamily::mpich), version);
}

BOOST_AUTO_TEST_CASE(what_nobody_knows_is_unknown) {
  BOOST_TEST((family_of("/opt/hpe/lib/libmpi.so", false, "HPE MPT 2.25  08/15/21 04:27:11") == HostFamily::unknown));
  BOOST_TEST((family_of("libmpi.so", false, "") == HostFamily::unknown));
}

BOOST_AUTO_TEST_SUITE_END()
