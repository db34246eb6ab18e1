// The actions of the group calls on a mock of the host: their answers, and their questions to the host.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <functional>
#include <new>
#include <numeric>
#include <vector>

#include "communicators/communicators.h"
#include "communicators/groups.h"
#include "host/process_groups.h"
#include "mock_host.h"
#include "tests/unit/out_of_memory.h"
#include "tests/unit/uniform_draw.h"
#include "wrappers/entry/actions.h"

using namespace marshal;

namespace {

using Ranks = std::vector<std::int32_t>;

// A call whose host side is a function of the test.
class MockCall final : public HostCall {
 public:
  MockCall(Call which, std::function<int()> host) : HostCall(which, Binding::c, nullptr), host_(std::move(host)) {}
  int run_with(MPI_Comm, std::size_t, int) override { return host_(); }
  int run_with(std::initializer_list<OtherWord>) override { return host_(); }

 private:
  int run() override { return host_(); }
  std::function<int()> host_;
};

// One process of `size`, and its world, tracked.
MPI_Group start(int size) {
  process_groups().forget_all();
  mock::start(size);
  Ranks all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  process_groups().set_world(mock::group_of(all));
  const MPI_Group world = mock::group_of(all);
  books::enter_group(object_place("MPI_Comm_group", nullptr), world, RankMap::identity(0, size, MapForm::blocks));
  mock::asked() = {};
  return world;
}

MPI_Group included(MPI_Group from, const Ranks& ranks) {
  MPI_Group made = MPI_GROUP_NULL;
  MockCall call(Call::Group_incl, [&] {
    Ranks lpids;
    for (const int r : ranks) lpids.push_back(mock::members(from)[static_cast<std::size_t>(r)]);
    made = mock::group_of(lpids);
    return MPI_SUCCESS;
  });
  BOOST_REQUIRE(action::group_incl(call, from, static_cast<int>(ranks.size()), ranks.data(), &made) == MPI_SUCCESS);
  return made;
}

using SetAction = int (*)(HostCall&, MPI_Group, MPI_Group, MPI_Group*);
MPI_Group combined(Call which, SetAction action, MPI_Group a, MPI_Group b) {
  MockCall call(which, [] {
    ++mock::asked().own_set_operations;
    return MPI_SUCCESS;
  });
  MPI_Group made = MPI_GROUP_NULL;
  BOOST_REQUIRE(action(call, a, b, &made) == MPI_SUCCESS);
  return made;
}

}  // namespace

// In C and in Fortran, whose handles are the same numbers here.
BOOST_AUTO_TEST_CASE(the_end_of_a_communicator_voids_what_is_remembered_of_few_others) {
  HandleDepartures departures;
  const auto count_of = [&](MPI_Comm handle, auto passed) { return departures.of(passed(handle).key).load(); };
  const auto in_c = PassedHandle<HandleOf::comm>::from_c,
             in_fortran = PassedHandle<HandleOf::comm>::from_fortran_number;
  constexpr MPI_Comm first = static_cast<MPI_Comm>(0x84000000);
  departures.count(first);
  BOOST_TEST(count_of(first, in_c) == 1U);
  BOOST_TEST(count_of(first, in_fortran) == 1U);
  int voided = 0;
  for (MPI_Comm other = first + 1; other <= first + 200; ++other)
    voided += count_of(other, in_c) + count_of(other, in_fortran) != 0 ? 1 : 0;
  BOOST_TEST(voided <= 8);
  BOOST_TEST(count_of(MPI_COMM_WORLD, in_c) == 0U);
}

BOOST_AUTO_TEST_CASE(set_operations_of_a_million_processes_are_one_inclusion_each) {
  for (const int size : {1 << 10, 1 << 14, 1 << 20}) {
    const MPI_Group world = start(size);
    Ranks order = UniformDraw(1).shuffled(size);
    order.resize(static_cast<std::size_t>(size) / 2);
    const MPI_Group half = included(world, order);

    const MPI_Group rest = combined(Call::Group_difference, action::group_difference, world, half);
    Ranks expected = order;
    std::sort(expected.begin(), expected.end());
    Ranks others;
    Ranks all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    std::set_difference(all.begin(), all.end(), expected.begin(), expected.end(), std::back_inserter(others));
    BOOST_TEST((mock::members(rest) == others));

    const MPI_Group common = combined(Call::Group_intersection, action::group_intersection, half, world);
    BOOST_TEST((mock::members(common) == order));
    BOOST_TEST(mock::members(combined(Call::Group_intersection, action::group_intersection, half, rest)).empty());

    const MPI_Group both = combined(Call::Group_union, action::group_union, half, rest);
    Ranks joined = order;
    joined.insert(joined.end(), others.begin(), others.end());
    BOOST_TEST((mock::members(both) == joined));
    BOOST_TEST(mock::asked().incl == 4);
    BOOST_TEST(mock::asked().own_set_operations == 0);
    BOOST_TEST(mock::asked().translate == 0);

    // The new groups are known without asking the host, and can be used at once.
    for (const MPI_Group made : {rest, common, both}) BOOST_REQUIRE(books::find_group(made) != nullptr);
    Ranks out(static_cast<std::size_t>(size));
    MockCall translate(Call::Group_translate_ranks, [] { return MPI_ERR_OTHER; });
    BOOST_TEST(action::group_translate_ranks(translate, both, size, all.data(), world, out.data()) == MPI_SUCCESS);
    BOOST_TEST((out == joined));
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_on_the_books_is_the_hosts) {
  const MPI_Group world = start(1000);
  const MPI_Group unseen = mock::group_of(UniformDraw(2).shuffled(1000));
  combined(Call::Group_difference, action::group_difference, world, unseen);
  combined(Call::Group_union, action::group_union, unseen, world);
  BOOST_TEST(mock::asked().own_set_operations == 2);
  BOOST_TEST(mock::asked().incl == 0);
  int result = 0;
  MockCall compare(Call::Group_compare, [&] {
    ++mock::asked().own_comparisons;
    return MPI_SUCCESS;
  });
  action::group_compare(compare, world, unseen, &result);
  BOOST_TEST(mock::asked().own_comparisons == 1);
}

BOOST_AUTO_TEST_CASE(wrong_ranks_reach_the_host_untouched) {
  const MPI_Group world = start(1000);
  Ranks ranks = UniformDraw(3).shuffled(1000);
  ranks[500] = 1000;
  Ranks out(ranks.size());
  const Ranks given = ranks;
  MockCall translate(Call::Group_translate_ranks, [&] {
    BOOST_TEST((ranks == given));
    return MPI_ERR_RANK;
  });
  BOOST_TEST(action::group_translate_ranks(translate, world, 1000, ranks.data(), world, out.data()) == MPI_ERR_RANK);
}

BOOST_AUTO_TEST_CASE(relations_of_large_groups_need_no_host) {
  const MPI_Group world = start(1 << 20);
  const MPI_Group same = included(world, mock::members(world));
  const MPI_Group mixed = included(world, UniformDraw(4).shuffled(1 << 20));
  int result = -1;
  const auto compare = [&](MPI_Group a, MPI_Group b) {
    MockCall call(Call::Group_compare, [] { return MPI_ERR_OTHER; });
    BOOST_TEST(action::group_compare(call, a, b, &result) == MPI_SUCCESS);
    return result;
  };
  BOOST_TEST(compare(world, same) == MPI_IDENT);
  BOOST_TEST(compare(world, mixed) == MPI_SIMILAR);
  BOOST_TEST(compare(mixed, mixed) == MPI_IDENT);
}

BOOST_AUTO_TEST_CASE(a_communicator_ends_without_memory) {
  start(1000);
  for (int i = 0; i < 200; ++i) {
    const Ranks order = UniformDraw(static_cast<unsigned>(i)).shuffled(1000);
    const MPI_Group group = mock::group_of(order);
    Communicator communicator;
    communicator.map = RankMap::from_lpids(0, order, MapForm::blocks);
    books::enter_group_of(object_place("MPI_Comm_group", nullptr), group, communicator);
    books::forget_group(group);  // from now on another thread may still read the entry
    out_of_memory = true;
    books::forget_group_of(communicator);  // ends the program if it throws
    out_of_memory = false;
    BOOST_TEST(books::find_group(group) == nullptr);
  }
}
