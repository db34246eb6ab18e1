#include <boost/test/unit_test.hpp>

#include "record/units.h"

using marshal::report::function_name;

BOOST_AUTO_TEST_CASE(what_is_not_mangled_stays_as_it_is) {
  BOOST_TEST(function_name("main") == "main");
  BOOST_TEST(function_name("MAIN__") == "MAIN__");
  BOOST_TEST(function_name("_Zunreadable") == "_Zunreadable");
  BOOST_TEST(function_name("") == "");
}

BOOST_AUTO_TEST_CASE(procedures_of_fortran_modules_have_their_module_in_front) {
  BOOST_TEST(function_name("__grid_MOD_setup") == "grid::setup");
}

BOOST_AUTO_TEST_CASE(names_of_cxx_lose_result_arguments_and_what_templates_were_made_for) {
  BOOST_TEST(function_name("_ZN2ns5solveEi") == "ns::solve");
  BOOST_TEST(function_name("_ZN2ns5solveIdEEvi") == "ns::solve<...>");
  BOOST_TEST(function_name("_ZNKSt6vectorIiSaIiEE4sizeEv") == "std::vector<...>::size");
  BOOST_TEST(function_name("_ZN12_GLOBAL__N_15setupEv") == "(anonymous namespace)::setup");
  BOOST_TEST(function_name("_ZN4GridclEii") == "Grid::operator()");
  BOOST_TEST(function_name("_ZltRK4GridS1_") == "operator<");
}
