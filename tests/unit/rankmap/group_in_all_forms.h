// A communicator or group as a plain list of processes and as a rank map in every form; the same derivations make list
// and maps. Checks that list and maps agree. For derivation_trees_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "rankmap/group_algebra.h"
#include "rankmap/rank_map.h"

namespace marshal {

using Ranks = std::vector<std::int32_t>;
using Members = std::vector<Process>;

inline constexpr auto& forms_tracked = tracked_forms;
inline constexpr std::int32_t process_groups = 3;  // the own job, one that it spawned, one that it connected to
inline constexpr RankSentinels sentinels{-32766, -2};

// One communicator or group: its processes in a plain list, and its map in every form.
struct Group {
  explicit Group(Members all) : members(std::move(all)) {
    for (std::size_t r = 0; r < members.size(); ++r) ranks[members[r]] = static_cast<std::int32_t>(r);
  }

  Members members;
  std::map<Process, std::int32_t> ranks;
  std::array<RankMap, forms_tracked.size()> maps;

  std::int32_t size() const { return static_cast<std::int32_t>(members.size()); }
  std::int32_t place(Process process) const {
    const auto at = ranks.find(process);
    return at == ranks.end() ? -1 : at->second;
  }
  bool has(Process process) const { return place(process) >= 0; }
};

// A map made in each form.
template <class Make>
Group in_all_forms(Members members, Make make) {
  Group group(std::move(members));
  for (std::size_t f = 0; f < forms_tracked.size(); ++f) group.maps[f] = make(f);
  return group;
}

inline Group process_group(std::int32_t number, std::int32_t size) {
  Members all;
  for (std::int32_t lpid = 0; lpid < size; ++lpid) all.push_back({number, lpid});
  return in_all_forms(std::move(all), [&](std::size_t f) { return RankMap::identity(number, size, forms_tracked[f]); });
}

inline Members picked(const Members& members, const Ranks& ranks) {
  Members result;
  for (const std::int32_t r : ranks) result.push_back(members[static_cast<std::size_t>(r)]);
  return result;
}

inline Group child(const Group& parent, const Ranks& ranks) {
  return in_all_forms(picked(parent.members, ranks), [&](std::size_t f) { return parent.maps[f].derive(ranks); });
}

// By the closed form, of whose values `ranks` is the plain list.
inline Group child(const Group& parent, const StridedBlocks& pattern, const Ranks& ranks) {
  return in_all_forms(picked(parent.members, ranks), [&](std::size_t f) { return parent.maps[f].derive(pattern); });
}

inline Group merged(const Group& low, const Group& high) {
  Members all = low.members;
  all.insert(all.end(), high.members.begin(), high.members.end());
  return in_all_forms(std::move(all), [&](std::size_t f) { return RankMap::concatenate(low.maps[f], high.maps[f]); });
}

inline Ranks ranks_where(const Members& members, const std::function<bool(Process)>& wanted) {
  Ranks ranks;
  for (std::size_t r = 0; r < members.size(); ++r)
    if (wanted(members[r])) ranks.push_back(static_cast<std::int32_t>(r));
  return ranks;
}

inline void check_both_ways(const Group& group, std::map<MapForm, std::set<std::string>>& models) {
  for (std::size_t f = 0; f < forms_tracked.size(); ++f) {
    const RankMap& map = group.maps[f];
    BOOST_TEST_CONTEXT("form " << name(forms_tracked[f]) << ", model " << map.model()) {
      BOOST_REQUIRE(map.form() == forms_tracked[f]);
      BOOST_REQUIRE(map.size() == group.size());
      std::int32_t wrong_rank = -1;
      for (std::int32_t r = 0; wrong_rank < 0 && r < map.size(); ++r) {
        const Process process = group.members[static_cast<std::size_t>(r)];
        if (map.process(r) != process || map.rank_of(process) != r) wrong_rank = r;
      }
      BOOST_REQUIRE(wrong_rank == -1);
      std::optional<Process> wrong_process;
      for (std::int32_t g = 0; !wrong_process && g < process_groups + 1; ++g)
        for (std::int32_t lpid = 0; lpid < 40; ++lpid)
          if (map.rank_of({g, lpid}) != group.place({g, lpid})) wrong_process = {g, lpid};
      BOOST_REQUIRE(!wrong_process);
      models[forms_tracked[f]].emplace(map.model());
    }
  }
}

// The results of MPI's group calls for two groups, in every form.
inline void check_algebra(const Group& a, const Group& b, const Ranks& asked) {
  const Ranks common = ranks_where(a.members, [&](Process p) { return b.has(p); });
  const Ranks rest = ranks_where(a.members, [&](Process p) { return !b.has(p); });
  const GroupRelation relation = a.members == b.members                 ? GroupRelation::identical
                                 : rest.empty() && a.size() == b.size() ? GroupRelation::similar
                                                                        : GroupRelation::unequal;
  Ranks translated;
  for (const std::int32_t rank : asked) {
    const std::int32_t there = rank < 0 ? -2 : b.place(a.members[static_cast<std::size_t>(rank)]);
    translated.push_back(there == -1 ? sentinels.undefined : there);
  }
  for (std::size_t f = 0; f < forms_tracked.size(); ++f) {
    BOOST_TEST_CONTEXT("form " << name(forms_tracked[f])) {
      BOOST_REQUIRE(intersection(a.maps[f], b.maps[f]) == common);
      BOOST_REQUIRE(difference(a.maps[f], b.maps[f]) == rest);
      BOOST_REQUIRE((compare(a.maps[f], b.maps[f]) == relation));
      Ranks out(asked.size());
      BOOST_REQUIRE(translate(a.maps[f], asked, b.maps[f], sentinels, out));
      BOOST_REQUIRE(out == translated);
    }
  }
}

}  // namespace marshal
