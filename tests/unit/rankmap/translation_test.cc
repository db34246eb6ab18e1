// Translating many ranks at once gives the same as translating them one by one, in every form and with every kernel.
#include "rankmap/translation.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <vector>

#include "group_in_all_forms.h"
#include "rankmap/lookup_kernels.h"
#include "rankmap/packed_bits.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/uniform_draw.h"

using namespace marshal;

namespace {

class Draw : public UniformDraw {
 public:
  using UniformDraw::UniformDraw;
  // Ranks of a child of so many processes, in one of the shapes that programs make.
  Ranks of_child(std::int32_t size) {
    Ranks ranks = shuffled(size);
    switch ((*this)(0, 5)) {
      case 0:  // permuted
        break;
      case 1:  // scattered
        ranks.resize(static_cast<std::size_t>((*this)(1, size)));
        break;
      case 2:  // increasing
        ranks.resize(static_cast<std::size_t>((*this)(1, size)));
        std::sort(ranks.begin(), ranks.end());
        break;
      case 3:  // decreasing
        ranks.resize(static_cast<std::size_t>((*this)(1, size)));
        std::sort(ranks.rbegin(), ranks.rend());
        break;
      case 4: {  // most of them, in order
        const std::int32_t apart = (*this)(3, 60);
        std::sort(ranks.begin(), ranks.end());
        std::erase_if(ranks, [&](std::int32_t r) { return r % apart == apart / 2; });
        break;
      }
      default: {  // strided
        const std::int32_t step = (*this)(1, 5);
        std::sort(ranks.begin(), ranks.end());
        std::erase_if(ranks, [&](std::int32_t r) { return r % step != 0; });
      }
    }
    return ranks;
  }
};

void check_translation(const RankMap& from, const RankMap& to, const Ranks& asked) {
  Ranks expected, out(asked.size(), 12345);
  for (const std::int32_t rank : asked) {
    const std::int32_t there = rank < 0 ? -1 : to.rank_of(from.process(rank));
    expected.push_back(rank < 0 ? sentinels.proc_null : there < 0 ? sentinels.undefined : there);
  }
  BOOST_REQUIRE(translate(from, asked, to, sentinels, out));
  BOOST_REQUIRE(out == expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(many_ranks_at_once_are_what_they_are_one_by_one) {
  Draw draw(property_seed());
  for (int trial = 0; trial < 60; ++trial) {
    const std::int32_t size = trial % 4 == 0 ? draw(600, 3000) : draw(1, 120);
    const bool far_apart = draw(0, 4) == 0;
    // Up to three process groups, whose processes may come in any order.
    const int groups = draw(0, 2) == 0 ? 3 : 1;
    Members all;
    for (std::int32_t i = 0; i < size; ++i) all.push_back({groups == 1 ? 0 : draw(0, 2), far_apart ? 1000 * i : i});
    if (draw(0, 1) == 0)
      std::stable_sort(all.begin(), all.end(), [](Process a, Process b) { return a.group < b.group; });
    const Group world =
        in_all_forms(all, [&](std::size_t f) { return RankMap::from_processes(all, forms_tracked[f]); });
    const Group parent = child(world, draw.of_child(size));
    const Group a = child(parent, draw.of_child(parent.size()));
    const Group b = child(draw(0, 1) == 0 ? parent : world, draw.of_child(draw(0, 1) == 0 ? 1 : parent.size()));
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a), std::pair(&a, &world), std::pair(&world, &a),
                                   std::pair(&parent, &a), std::pair(&a, &parent), std::pair(&a, &a)}) {
      Ranks everyone(static_cast<std::size_t>(from->size()));
      std::iota(everyone.begin(), everyone.end(), 0);
      Ranks some;
      for (std::int32_t i = draw(1, 2 * from->size()); i > 0; --i)
        some.push_back(draw(0, 20) == 0 ? sentinels.proc_null : draw(0, from->size() - 1));
      Ranks few(some.begin(), some.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(some.size(), 5)));
      for (std::size_t f = 0; f < forms_tracked.size(); ++f)
        BOOST_TEST_CONTEXT("form " << name(forms_tracked[f]) << ", " << from->maps[f].model() << " to "
                                   << to->maps[f].model()) {
          for (const Ranks& asked : {everyone, some, few}) check_translation(from->maps[f], to->maps[f], asked);
        }
    }
  }
}

BOOST_AUTO_TEST_CASE(maps_read_as_a_whole_give_each_process) {
  Draw draw(property_seed());
  for (int trial = 0; trial < 100; ++trial) {
    const std::int32_t size = trial % 8 == 0 ? draw(600, 3000) : draw(1, 100);
    const Group world = merged(process_group(0, size), process_group(2, draw(1, 30)));
    const Group group = child(world, draw.of_child(world.size()));
    for (const RankMap& map : child(group, draw.of_child(group.size())).maps) {
      Ranks lpids(static_cast<std::size_t>(map.size())), groups(lpids.size());
      map.read_lpids(lpids);
      map.read_groups(groups);
      for (std::int32_t r = 0; r < map.size(); ++r) {
        const auto i = static_cast<std::size_t>(r);
        BOOST_REQUIRE((map.process(r) == Process{groups[i], lpids[i]}));
        if (map.only_group() >= 0) BOOST_REQUIRE(map.only_group() == groups[i]);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(nobody_is_found_in_an_empty_group) {
  Ranks everyone(40);
  std::iota(everyone.begin(), everyone.end(), 0);
  for (const MapForm form : forms_tracked) {
    const RankMap world = RankMap::identity(0, 40, form);
    check_translation(world, world.derive(Ranks{}), everyone);
    check_translation(world, RankMap::from_lpids(0, {}, form), everyone);
  }
}

BOOST_AUTO_TEST_CASE(long_chains_of_sparse_formats_are_read_without_recursion) {
  RankMap map = RankMap::identity(0, 200, MapForm::range);
  Ranks backwards(200);
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  for (int generation = 0; generation < 20000; ++generation) map = map.derive(backwards);
  Ranks lpids(200);
  map.read_lpids(lpids);
  BOOST_TEST(lpids.front() == 0);
  BOOST_TEST(lpids.back() == 199);
}

BOOST_AUTO_TEST_CASE(vector_kernels_find_what_the_plain_ones_find) {
  Draw draw(property_seed());
  const LookupKernels& plain = lookup_kernels().back();
  BOOST_TEST(plain.name == "plain");
  for (const LookupKernels& kernels : lookup_kernels()) BOOST_TEST_CONTEXT(kernels.name) {
      for (int trial = 0; trial < 2000; ++trial) {
        const int bits = draw(0, 4) == 0 ? draw(26, 31) : draw(0, 25);
        const auto count = static_cast<std::uint32_t>(draw(0, 90));
        std::vector<std::uint64_t> words(packed_words(count, bits));
        for (std::uint32_t i = 0; i < count; ++i)
          if (draw(0, 2) != 0)
            packed_set(words.data(), bits, i, static_cast<std::uint32_t>(draw(0, INT32_MAX)) & ((1U << bits) - 1));
        const std::int32_t first = draw(0, 1) == 0 ? draw(0, 50) : draw(-10, 2000000000);
        Ranks expected(count), read(count);
        plain.packed_read(words.data(), bits, first, expected);
        kernels.packed_read(words.data(), bits, first, read);
        BOOST_REQUIRE(read == expected);

        Ranks values;
        for (std::int32_t n = draw(0, 70); n > 0; --n)
          values.push_back(draw(0, 5) == 0 ? draw(INT32_MIN, INT32_MAX) : first + draw(-3, 100));
        Ranks plainly = values, found = values;
        plain.packed_find(words.data(), bits, first, count, -7, plainly);
        kernels.packed_find(words.data(), bits, first, count, -7, found);
        BOOST_REQUIRE(found == plainly);

        for (std::int32_t& entry : expected) entry = draw(-1, 1000);
        plainly = found = values;
        plain.array_find(expected, first, -7, plainly);
        kernels.array_find(expected, first, -7, found);
        BOOST_REQUIRE(found == plainly);
      }
    }
}
