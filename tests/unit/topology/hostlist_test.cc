#include "topology/hostlist.h"

#include <boost/test/unit_test.hpp>
#include <stdexcept>

using marshal::topology::expand_hostlist;
using Names = std::vector<std::string>;

BOOST_AUTO_TEST_CASE(a_hostlist_has_the_names_that_slurm_means) {
  BOOST_TEST((expand_hostlist("login") == Names{"login"}));
  BOOST_TEST((expand_hostlist("n[0-3],m07") == Names{"n0", "n1", "n2", "n3", "m07"}));
  BOOST_TEST((expand_hostlist("n[0-1,7], b") == Names{"n0", "n1", "n7", "b"}));
  BOOST_TEST((expand_hostlist("n[08-10]") == Names{"n08", "n09", "n10"}));
  BOOST_TEST((expand_hostlist("n[098-101,1]") == Names{"n098", "n099", "n100", "n101", "n1"}));
  BOOST_TEST((expand_hostlist("r[1-2]n[0-1]-ib") == Names{"r1n0-ib", "r1n1-ib", "r2n0-ib", "r2n1-ib"}));
  BOOST_TEST((expand_hostlist("a,a") == Names{"a", "a"}));
}

BOOST_AUTO_TEST_CASE(long_lists_are_expanded_up_to_a_bound) {
  BOOST_TEST(expand_hostlist("n[0-1048575]").size() == std::size_t{1} << 20);
  for (const char* text : {"n[0-1048576]", "n[0-18446744073709551615]", "n[0-99999]x[0-99999]", "n[0-1048575],a"})
    BOOST_CHECK_THROW(expand_hostlist(text), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(other_texts_are_refused_with_the_name_that_is_wrong) {
  for (const std::string& text :
       {std::string(), std::string("a,"), std::string(",a"), std::string("n[0-3"), std::string("n0]"),
        std::string("n[3-0]"), std::string("n[]"), std::string("n[a]"), std::string("n[0-]"), std::string("n[0--3]"),
        std::string("n[[0]]"), std::string("a b"), std::string("a=b"), std::string(256, 'n'),
        "n[" + std::string(300, '0') + "1]"})
    BOOST_CHECK_EXCEPTION(expand_hostlist(text), std::invalid_argument, [](const std::invalid_argument& error) {
      return std::string(error.what()).starts_with("host names '");
    });
}
