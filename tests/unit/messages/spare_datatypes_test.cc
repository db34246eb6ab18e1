#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <set>
#include <thread>

#include "messages/mpich/ucx_datatype.h"

using namespace marshal;

namespace {

constexpr ucx::GenericOperations first{};
constexpr ucx::GenericOperations second{[](void*, const void*, std::size_t) -> void* { return nullptr; },
                                        nullptr,
                                        [](void*) { return std::size_t{1}; },
                                        {},
                                        {},
                                        {}};

// Many more than a thread keeps.
struct Records {
  std::array<ucx::GenericRecord, 100> all{};
  std::uint64_t datatype(std::size_t i) { return reinterpret_cast<std::uintptr_t>(&all[i]) | ucx::generic_class; }

  // Their datatypes until one is not kept.
  std::set<std::uint64_t> keep() {
    std::set<std::uint64_t> kept;
    for (std::size_t i = 0; i < all.size() && spare_datatypes::keep(datatype(i)); ++i) kept.insert(datatype(i));
    return kept;
  }
};

std::set<std::uint64_t> take_all() {
  std::set<std::uint64_t> taken;
  while (const std::uint64_t datatype = spare_datatypes::take(nullptr, first)) taken.insert(datatype);
  return taken;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(spare_datatypes_test)

// The first test: nothing makes it unsafe again.
BOOST_AUTO_TEST_CASE(none_is_kept_before_the_record_is_known) {
  Records records;
  BOOST_TEST(records.keep().empty());
  BOOST_TEST(take_all().empty());
  spare_datatypes::are_safe = true;
  BOOST_TEST(!records.keep().empty());
  take_all();
}

BOOST_AUTO_TEST_CASE(each_that_is_kept_is_given_out_once) {
  Records records;
  const auto kept = records.keep();
  BOOST_TEST(!kept.empty());
  BOOST_TEST(kept.size() < records.all.size());
  BOOST_TEST((take_all() == kept));
  BOOST_TEST(take_all().empty());
  BOOST_TEST((records.keep() == kept));
  take_all();
}

BOOST_AUTO_TEST_CASE(one_that_is_given_out_has_the_new_context_and_operations) {
  Records records;
  records.all[0] = {&records, first};
  BOOST_TEST(spare_datatypes::keep(records.datatype(0)));
  int context = 0;
  BOOST_TEST(spare_datatypes::take(&context, second) == records.datatype(0));
  BOOST_TEST(records.all[0].context == &context);
  BOOST_TEST((records.all[0].operations == second));
}

BOOST_AUTO_TEST_CASE(a_thread_takes_none_of_another) {
  Records records;
  const auto kept = records.keep();
  std::set<std::uint64_t> by_other;
  std::thread([&] { by_other = take_all(); }).join();
  BOOST_TEST(by_other.empty());
  BOOST_TEST((take_all() == kept));
}

BOOST_AUTO_TEST_SUITE_END()
