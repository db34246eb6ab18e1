// However a program derives communicators, every form of map agrees with a plain list of the processes, on every rank,
// both ways.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "group_in_all_forms.h"
#include "tests/unit/property_seed.h"

using namespace marshal;

namespace {

// Two groups of an intercommunicator; they have no process in common.
struct Intercommunicator {
  Group local, remote;
};

// One random program: it makes communicators of communicators.
class Program {
 public:
  explicit Program(unsigned seed) : engine_(seed) {
    // Round numbers, too, because grids are made of them; and large ones, for which tables are compressed differently.
    const std::int32_t kind = draw(0, 9);
    const std::int32_t world = kind == 0 ? draw(1000, 3000) : kind < 5 ? draw(1, 300) : 1 << draw(2, 8);
    for (std::int32_t g = 0; g < process_groups; ++g) groups_.push_back(process_group(g, g == 0 ? world : draw(1, 30)));
  }

  struct Step {
    const char* name;
    void (Program::*take)();
  };
  static std::span<const Step> steps();

  void step(const Step& step, std::map<std::string, int>& taken, std::map<MapForm, std::set<std::string>>& models) {
    const std::size_t groups = groups_.size();
    const std::size_t pairs = pairs_.size();
    BOOST_TEST_CONTEXT(step.name) {
      (this->*step.take)();
      for (std::size_t i = groups; i < groups_.size(); ++i) check_both_ways(groups_[i], models);
      for (std::size_t i = pairs; i < pairs_.size(); ++i) {
        check_both_ways(pairs_[i].local, models);
        check_both_ways(pairs_[i].remote, models);
      }
      if (groups_.size() > groups || pairs_.size() > pairs) ++taken[step.name];
      const Group& newest = groups_.back();
      const Group& other = any();
      check_algebra(newest, other, some_ranks(newest.size()));
      check_algebra(other, newest, some_ranks(other.size()));
    }
  }

  std::int32_t draw(std::int32_t low, std::int32_t high) {
    return std::uniform_int_distribution<std::int32_t>(low, high)(engine_);
  }

 private:
  // Ranks and MPI_PROC_NULL.
  Ranks some_ranks(std::int32_t size) {
    Ranks ranks;
    for (int i = 0; i < 20; ++i) ranks.push_back(size == 0 || draw(0, 9) == 0 ? -2 : draw(0, size - 1));
    return ranks;
  }

  // References are valid only until the next group is made.
  const Group& any() { return groups_[static_cast<std::size_t>(draw(0, static_cast<int>(groups_.size()) - 1))]; }
  // Large ones are more interesting.
  Group a_parent() {
    const Group* best = &any();
    for (int i = 0; i < 2; ++i)
      if (const Group& other = any(); other.size() > best->size()) best = &other;
    return *best;
  }
  void keep(Group group) { groups_.push_back(std::move(group)); }

  Ranks all_of(std::int32_t size) {
    Ranks ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }
  Ranks shuffled(std::int32_t size) {
    Ranks ranks = all_of(size);
    std::shuffle(ranks.begin(), ranks.end(), engine_);
    return ranks;
  }
  Ranks shuffled_part(std::int32_t size) {
    Ranks ranks = shuffled(size);
    ranks.resize(static_cast<std::size_t>(draw(0, size)));
    return ranks;
  }

  // The members of one colour as MPI_Comm_split orders them: by keys, then by ranks.
  template <class Colour, class Key>
  Ranks of_colour(std::int32_t size, std::int32_t mine, Colour colour, Key key) {
    Ranks ranks;
    for (std::int32_t r = 0; r < size; ++r)
      if (colour(r) == mine) ranks.push_back(r);
    std::stable_sort(ranks.begin(), ranks.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
    return ranks;
  }
  Ranks structured(std::int32_t size) {
    const std::int32_t n = draw(1, 6), divisor = draw(1, std::max(1, size)), columns = draw(1, 8);
    const bool by_block = draw(0, 1) == 1;
    const auto colour = [=](std::int32_t r) { return by_block ? r / divisor : r % n; };
    const std::int32_t mine = size == 0 ? 0 : colour(draw(0, size - 1));
    switch (draw(0, 2)) {
      case 0:
        return of_colour(size, mine, colour, [](std::int32_t) { return 0; });
      case 1:
        return of_colour(size, mine, colour, [](std::int32_t r) { return -r; });
      default:  // by columns
        return of_colour(size, mine, colour, [=](std::int32_t r) { return r % columns; });
    }
  }

  void dup() {
    const Group parent = a_parent();
    keep(child(parent, StridedBlocks::linear(0, 1, parent.size()), all_of(parent.size())));
  }
  void split_structured() {
    const Group parent = a_parent();
    keep(child(parent, structured(parent.size())));
  }
  void split_random_colours() {
    const Group parent = a_parent();
    const std::int32_t out_of = draw(2, 12);
    const auto colour = [&](std::int32_t) { return draw(0, out_of) == 0 ? 1 : 0; };
    keep(child(parent, of_colour(parent.size(), draw(0, 1), colour, [](std::int32_t r) { return r; })));
  }
  void split_random_keys() {
    const Group parent = a_parent();
    const Ranks keys = shuffled(parent.size());
    keep(child(parent, of_colour(
                           parent.size(), 0, [](std::int32_t) { return 0; },
                           [&](std::int32_t r) { return keys[static_cast<std::size_t>(r)]; })));
  }

  // A grid takes the first processes.
  void cart() {
    const Group parent = a_parent();
    const std::int32_t cells = draw(0, parent.size());
    keep(child(parent, StridedBlocks::linear(0, 1, cells), all_of(cells)));
  }
  // A grid of y × x cells whose nodes have blocks of b × a cells each, the processes of a node being consecutive.
  void cart_reordered() {
    const Group parent = a_parent();
    const std::int32_t a = draw(1, 4), b = draw(1, 4), across = draw(1, 5);
    const std::int32_t down = parent.size() / (a * b * across);
    Ranks ranks;
    for (std::int32_t y = 0; y < down * b; ++y)
      for (std::int32_t x = 0; x < across * a; ++x) ranks.push_back(((y / b * across + x / a) * b + y % b) * a + x % a);
    keep(child(parent, ranks));
  }
  // A part of a row-major grid of up to four dimensions, the last one the fastest.
  void cart_sub() {
    const Group parent = a_parent();
    std::array<std::int32_t, 4> dims{1, draw(1, 4), draw(1, 4), draw(1, 4)};
    dims[0] = parent.size() / (dims[1] * dims[2] * dims[3]);
    if (dims[0] == 0) return;
    std::array<std::int32_t, 4> first{}, count{};
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const bool remains = draw(0, 2) != 0;
      first[d] = remains ? 0 : draw(0, dims[d] - 1);
      count[d] = remains ? dims[d] : 1;
    }
    Ranks ranks;
    for (std::int32_t i = first[0]; i < first[0] + count[0]; ++i)
      for (std::int32_t j = first[1]; j < first[1] + count[1]; ++j)
        for (std::int32_t k = first[2]; k < first[2] + count[2]; ++k)
          for (std::int32_t l = first[3]; l < first[3] + count[3]; ++l)
            ranks.push_back(((i * dims[1] + j) * dims[2] + k) * dims[3] + l);
    const std::int32_t strides[] = {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
    std::vector<StridedBlocks::Digit> digits;
    for (std::size_t d = dims.size(); d-- > 0;) digits.push_back({count[d], strides[d]});
    const auto pattern = StridedBlocks::from_digits(ranks.front(), digits, static_cast<std::int32_t>(ranks.size()));
    keep(pattern ? child(parent, *pattern, ranks) : child(parent, ranks));
  }

  // MPI_Comm_create takes a group that was made of the parent's, in any order.
  void create() {
    const Group parent = a_parent();
    keep(child(parent, shuffled_part(parent.size())));
  }
  void incl() {
    const Group parent = a_parent();
    Ranks ranks = shuffled_part(parent.size());
    if (draw(0, 1) == 0) std::sort(ranks.begin(), ranks.end());
    keep(child(parent, ranks));
  }
  void excl() {
    const Group parent = a_parent();
    keep(child(parent, *all_but(parent.size(), shuffled_part(parent.size()))));
  }
  // Two ranges that do not overlap, upwards or downwards.
  std::vector<RankRange> ranges(std::int32_t size) {
    const std::int32_t cut = draw(0, size - 1);
    std::vector<RankRange> two{{0, cut, draw(1, 4)}};
    if (cut + 1 < size) two.push_back({size - 1, cut + 1, -draw(1, 4)});
    std::shuffle(two.begin(), two.end(), engine_);
    return two;
  }
  void range_incl() {
    const Group parent = a_parent();
    if (parent.size() == 0) return;
    keep(child(parent, *expand_ranges(parent.size(), ranges(parent.size()))));
  }
  void range_excl() {
    const Group parent = a_parent();
    if (parent.size() == 0) return;
    keep(child(parent, *all_but(parent.size(), *expand_ranges(parent.size(), ranges(parent.size())))));
  }

  void unite() {
    const Group a = any(), b = any();
    Members either = a.members;
    for (const Process p : b.members)
      if (!a.has(p)) either.push_back(p);
    keep(in_all_forms(std::move(either), [&](std::size_t f) { return set_union(a.maps[f], b.maps[f]); }));
  }
  void intersect() {
    const Group a = any(), b = any();
    keep(in_all_forms(picked(a.members, ranks_where(a.members, [&](Process p) { return b.has(p); })),
                      [&](std::size_t f) { return a.maps[f].derive(intersection(a.maps[f], b.maps[f])); }));
  }
  void subtract() {
    const Group a = any(), b = any();
    keep(in_all_forms(picked(a.members, ranks_where(a.members, [&](Process p) { return !b.has(p); })),
                      [&](std::size_t f) { return a.maps[f].derive(difference(a.maps[f], b.maps[f])); }));
  }

  // Joins two groups that have no process in common: two that happen to be so, or the two colours of one split.
  void intercomm_create() {
    const Group a = any(), b = any();
    const bool apart = a.size() > 0 && b.size() > 0 &&
                       std::none_of(a.members.begin(), a.members.end(), [&](Process p) { return b.has(p); });
    if (apart) {
      pairs_.push_back({a, b});
    } else if (a.size() > 1) {
      const Ranks part = structured(a.size());
      const Ranks rest = *all_but(a.size(), part);
      if (!rest.empty()) pairs_.push_back({child(a, part), child(a, rest)});
    }
  }
  const Intercommunicator* a_pair() {
    return pairs_.empty() ? nullptr : &pairs_[static_cast<std::size_t>(draw(0, static_cast<int>(pairs_.size()) - 1))];
  }
  void intercomm_dup() {
    if (const Intercommunicator* pair = a_pair()) pairs_.push_back(Intercommunicator(*pair));
  }
  // Keeps the processes of one colour on either side, each side in its own order.
  void intercomm_split() {
    const Intercommunicator* pair = a_pair();
    if (pair == nullptr) return;
    const Ranks local = structured(pair->local.size()), remote = structured(pair->remote.size());
    if (!local.empty() && !remote.empty()) pairs_.push_back({child(pair->local, local), child(pair->remote, remote)});
  }
  void merge() {
    const Intercommunicator* pair = a_pair();
    if (pair == nullptr) return;
    keep(draw(0, 1) == 0 ? merged(pair->local, pair->remote) : merged(pair->remote, pair->local));
  }

  std::mt19937 engine_;
  std::vector<Group> groups_;
  std::vector<Intercommunicator> pairs_;
};

std::span<const Program::Step> Program::steps() {
  static constexpr Step all[] = {{"dup", &Program::dup},
                                 {"split, structured", &Program::split_structured},
                                 {"split, random colours", &Program::split_random_colours},
                                 {"split, random keys", &Program::split_random_keys},
                                 {"cart", &Program::cart},
                                 {"cart, reordered by nodes", &Program::cart_reordered},
                                 {"cart_sub", &Program::cart_sub},
                                 {"create", &Program::create},
                                 {"incl", &Program::incl},
                                 {"excl", &Program::excl},
                                 {"range_incl", &Program::range_incl},
                                 {"range_excl", &Program::range_excl},
                                 {"union", &Program::unite},
                                 {"intersection", &Program::intersect},
                                 {"difference", &Program::subtract},
                                 {"intercomm_create", &Program::intercomm_create},
                                 {"intercomm dup", &Program::intercomm_dup},
                                 {"intercomm split", &Program::intercomm_split},
                                 {"merge", &Program::merge}};
  return all;
}

// The names of the papers, and of the compressed tables, that the trees must have met.
const std::map<MapForm, std::set<std::string>> expected_models{
    {MapForm::blocks,
     {"direct", "offset", "stride", "blockstride", "md-blockstride", "packed", "runs", "bitmap-select", "parts",
      "mlut"}},
    {MapForm::rankmap,
     {"direct", "offset", "stride", "blockstride", "md-blockstride", "lut", "mlut", "lut-stride", "mlut-stride",
      "lut-blockstride", "mlut-blockstride", "lut-md-blockstride", "mlut-md-blockstride"}},
    {MapForm::plist, {"plist"}},
    {MapForm::range, {"range"}},
    {MapForm::strided, {"strided", "plist"}},
    {MapForm::bitmap, {"bitmap", "plist"}},
    {MapForm::sparse, {"plist", "range", "strided", "bitmap"}},
    {MapForm::lut, {"lut", "mlut"}}};

}  // namespace

BOOST_AUTO_TEST_CASE(all_forms_agree_with_a_plain_list_over_random_derivation_trees) {
  std::mt19937 seeds(property_seed());
  const auto steps = Program::steps();
  std::map<std::string, int> taken;
  std::map<MapForm, std::set<std::string>> models;
  const auto missing = [&] {
    std::string names;
    for (const Program::Step& step : steps)
      if (taken[step.name] == 0) names += std::string(" ") + step.name;
    for (const auto& [form, expected] : expected_models)
      for (const std::string& model : expected)
        if (models[form].count(model) == 0) names += " " + std::string(name(form)) + "/" + model;
    return names;
  };
  // Rare models may need more trees than these.
  int trees = 0;
  for (; trees < 60 || (trees < 2000 && !missing().empty()); ++trees) {
    if (trees == 60) BOOST_TEST_MESSAGE("not met in 60 trees:" << missing());
    const auto tree = static_cast<unsigned>(seeds());
    BOOST_TEST_CONTEXT("tree " << tree) {
      Program program(tree);
      for (int i = 0; i < 15; ++i)
        program.step(steps[static_cast<std::size_t>(program.draw(0, static_cast<int>(steps.size()) - 1))], taken,
                     models);
    }
  }
  BOOST_TEST_MESSAGE(trees << " trees");
  BOOST_TEST(missing() == "");
}

// A tree that crashed: the ancestor of a chained map had no table, and the union asked it for groups.
BOOST_AUTO_TEST_CASE(a_map_whose_ancestor_has_one_group_joins_another) {
  const auto steps = Program::steps();
  std::map<std::string, int> taken;
  std::map<MapForm, std::set<std::string>> models;
  Program program(4258250430U);
  for (int i = 0; i < 15; ++i)
    program.step(steps[static_cast<std::size_t>(program.draw(0, static_cast<int>(steps.size()) - 1))], taken, models);
  BOOST_TEST(taken.size() > 0);
}
