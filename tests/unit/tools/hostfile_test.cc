#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "tools/order/places.h"

using namespace marshal::tools;

namespace {

std::string problem_of(std::string_view text) {
  try {
    parse_hostfile(text, "hosts");
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_hosts_of_each_launcher_are_understood) {
  const std::vector<Host> wanted{{"n0", 4}, {"n1.cluster", 2}};
  BOOST_TEST((parse_hostfile("n0 slots=4 max_slots=8\nn1.cluster slots=2\n", "h") == wanted));
  BOOST_TEST((parse_hostfile("# Hydra\nn0:4\n\n n1.cluster:2 # the second\r\n", "h") == wanted));
  BOOST_TEST((parse_hostfile("n0\nn0\nn0\nn0\nn1.cluster\nn1.cluster", "h") == wanted));
}

BOOST_AUTO_TEST_CASE(what_a_line_says_besides_the_number_is_marked) {
  const std::vector<Host> wanted{{.name = "n0", .places = 3, .returns = true},
                                 {.name = "n1", .places = 2},
                                 {.name = "n2", .places = 1, .is_counted = false}};
  BOOST_TEST((parse_hostfile("n0\nn0\nn1\nn1\nn0\nn2\n", "h") == wanted));
  BOOST_TEST(parse_hostfile("n0:2 max_slots=4\nn1:2\nn1:1 ifname=ib0\n", "h").back().has_more);
  BOOST_TEST(!parse_hostfile("n1:1 ifname=ib0\nn0:2 max_slots=4\n", "h").back().has_more);
}

BOOST_AUTO_TEST_CASE(all_that_open_mpi_reads_as_a_number_of_slots_is_one) {
  const std::vector<Host> wanted{{"n0", 4}, {"n1", 2}};
  for (const char* text :
       {"n0 slots = 4\nn1 slots =2", "n0 slots= 4\nn1 count = 2 max_count = 5", "n0 cpu=4\nn1 count=2",
        "n0 slots=4 max-slots=8\nn1 max_cpu = 8 slots=2", "n0 slots=4\nn9 slots=0\nn1 slots=2"})
    BOOST_TEST((parse_hostfile(text, "h") == wanted), text);
  BOOST_TEST(problem_of("n0 slots=0\n") == "hosts: has no hosts");
  BOOST_TEST(problem_of("n0 slots=-1\n") == "hosts, line 1: '-1' is no number of processes");
  BOOST_TEST(problem_of("n0 slots =\n") == "hosts, line 1: '' is no number of processes");
  BOOST_TEST(problem_of("n0 = 4\n").starts_with("hosts, line 1: "));
}

BOOST_AUTO_TEST_CASE(an_ipv6_address_is_a_host) {
  const std::vector<Host> wanted{{"fe80::1:2", 2}, {"::1", 3}};
  BOOST_TEST((parse_hostfile("fe80::1:2 slots=2\n::1\n::1\n::1\n", "h") == wanted));
}

BOOST_AUTO_TEST_CASE(the_user_before_a_host_is_no_part_of_its_name) {
  const std::vector<Host> wanted{{.name = "n0", .places = 2, .has_more = true},
                                 {.name = "n1", .places = 3, .has_more = true}};
  BOOST_TEST((parse_hostfile("bob@n0 slots=2\nbob@n1:3\n", "h") == wanted));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_not_understood_is_named) {
  BOOST_TEST(problem_of("n0\nn1 slots=four\n") == "hosts, line 2: 'four' is no number of processes");
  BOOST_TEST(problem_of("n0:0\n") == "hosts, line 1: '0' is no number of processes");
  BOOST_TEST(problem_of("n0 slot=4\n").starts_with("hosts, line 1: 'slot=4' is not understood"));
  BOOST_TEST(problem_of("rank 0=n0 slot=1\n").starts_with("hosts, line 1: "));
  BOOST_TEST(problem_of("\x7f"
                        "ELF\n")
                 .starts_with("hosts, line 1: "));
  BOOST_TEST(problem_of("# nothing\n") == "hosts: has no hosts");
  BOOST_TEST(problem_of("n0:99999999999\n") == "hosts, line 1: '99999999999' is no number of processes");
}
