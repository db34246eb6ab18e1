// The seed of a property test.
#pragma once

#include <boost/test/unit_test.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>

namespace marshal {

// Another one in each run, unless MARSHAL_TEST_SEED is set. It is printed before the test draws from it, so that a
// crash can be repeated as well as a failed check.
inline unsigned property_seed() {
  unsigned seed = std::random_device{}();
  if (const char* wanted = std::getenv("MARSHAL_TEST_SEED")) {
    const std::string text = wanted;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::invalid_argument("MARSHAL_TEST_SEED='" + text + "' is not a number below 2^32");
  }
  const auto& test = boost::unit_test::framework::current_test_case();
  std::printf("%s: MARSHAL_TEST_SEED=%u\n", test.p_name->c_str(), seed);
  std::fflush(stdout);
  return seed;
}

}  // namespace marshal
