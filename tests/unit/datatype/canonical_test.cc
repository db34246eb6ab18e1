#include <boost/test/unit_test.hpp>

#include "datatype/flatten.h"
#include "datatype/walk.h"
#include "naive_type_map.h"
#include "random_type.h"
#include "tests/unit/messages_of_tests.h"
#include "tests/unit/repeats.h"

using namespace marshal::datatype;
using namespace marshal::datatype::testing;

namespace {

ByteMap bytes_of(const Pieces& pieces) {
  ByteMap all;
  for_each_block(pieces, 0, 0, {0, packed_size(pieces)}, [&](std::int64_t disp, std::int64_t, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) all.push_back(disp + i);
  });
  return all;
}

// The same bytes as a plain list: by single bytes, or cut at random.
Type as_list(const ByteMap& bytes, RandomType& random) {
  Hindexed list{{}, {}, basic(1)};
  std::int64_t most = random.number(1, 9);
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t n = 1;
    const auto want = static_cast<std::size_t>(random.number(1, most));
    while (n < want && i + n < bytes.size() && bytes[i + n] == bytes[i] + static_cast<std::int64_t>(n)) ++n;
    list.blocklengths.push_back(static_cast<std::int64_t>(n));
    list.displacements.push_back(bytes[i]);
    i += n;
  }
  return list;
}

std::string text(const Pieces& pieces) {
  std::string s = "{";
  for (const auto& p : pieces) {
    s += " " + std::to_string(p.disp) + ":";
    if (p.is_loop()) s += std::to_string(p.count) + "x" + std::to_string(p.stride);
    s += p.body.empty() ? "[" + std::to_string(p.length) + "]" : text(p.body);
  }
  return s + " }";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(canonical)

BOOST_AUTO_TEST_CASE(both_figures_of_the_paper_have_one_form) {
  const Type i4 = basic(4), f4 = basic(4);
  // Figure 1: ten times {int, three times {int[2], float}} with a hole of four bytes.
  const Type inner = Struct{{2, 1}, {0, 8}, {i4, f4}};
  const Type element = Struct{{1, 3}, {0, 8}, {i4, inner}};
  BOOST_TEST(element.extent() == 44);
  const Type loops = Contiguous{10, element};
  // Figure 2: what is contiguous across the elements taken as one: 4 bytes, nine blocks of 40 in 44, 36 bytes.
  const Type vector = Vector{9, 10, 11, i4};
  const Type blocks = Struct{{1, 1, 9}, {0, 8, 404}, {i4, vector, f4}};
  BOOST_TEST(text(flattened(loops)) == "{ 0:[4] 8:9x44[40] 404:[36] }");
  BOOST_TEST((flattened(loops) == flattened(blocks)));
  BOOST_TEST(loops.size() == 400);
}

BOOST_AUTO_TEST_CASE(two_doubles_of_64_bytes_is_one_loop) {
  const Type element = Resized{0, 64, Hindexed{{1, 1}, {0, 16}, basic(8)}};
  BOOST_TEST(text(flattened(Contiguous{8192, element})) == "{ 0:8192x64{ 0:[8] 16:[8] } }");
}

BOOST_AUTO_TEST_CASE(the_canonical_form_has_the_bytes_of_the_type_map) {
  for (std::uint64_t seed = 1; seed <= marshal::repeats(20000); ++seed) {
    RandomType random(seed);
    const Type type = random(static_cast<int>(random.number(1, 4)), 4000);
    const Pieces pieces = flattened(type);
    const ByteMap expected = byte_map(type);
    BOOST_TEST_REQUIRE(packed_size(pieces) == static_cast<std::int64_t>(expected.size()), "seed " << seed);
    BOOST_TEST_REQUIRE((bytes_of(pieces) == expected), "seed " << seed << " " << text(pieces));
    BOOST_TEST_REQUIRE(type.size() == static_cast<std::int64_t>(expected.size()), "seed " << seed);
    if (expected.empty()) continue;
    const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
    BOOST_TEST_REQUIRE(type.bounds().true_lb == *low, "seed " << seed);
    BOOST_TEST_REQUIRE(type.bounds().true_ub == *high + 1, "seed " << seed);
    BOOST_TEST_REQUIRE(touched(pieces).first == *low, "seed " << seed);
    BOOST_TEST_REQUIRE(touched(pieces).end == *high + 1, "seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(a_face_of_a_grid_has_one_form_however_it_is_built) {
  // 64 x 40 of 8 bytes out of rows of 100 in planes of 5000 elements, and ten times the counts, which nobody expands.
  for (const std::int64_t scale : {1, 10, 10000}) {
    const std::int64_t rows = 40 * scale, planes = 64 * scale, width = 100, plane = 50 * width * scale;
    const Type d = basic(8);
    const Type column = Vector{rows, 1, width, d};
    std::vector<Pieces> forms;
    forms.push_back(flattened(Hvector{planes, 1, plane * 8, column}));
    forms.push_back(flattened(Vector{planes, 1, 1, Resized{0, plane * 8, column}}));
    forms.push_back(flattened(Contiguous{planes, Resized{0, plane * 8, Hvector{rows, 1, width * 8, Dup{d}}}}));
    forms.push_back(flattened(Subarray{{planes, 50 * scale, width}, {planes, rows, 1}, {0, 0, 0}, Order::c, d}));
    forms.push_back(flattened(Subarray{{width, 50 * scale, planes}, {1, rows, planes}, {0, 0, 0}, Order::fortran, d}));
    forms.push_back(flattened(
        Struct{{1, 1},
               {0, plane * 8},
               {column, Hvector{planes - 1, 1, plane * 8, Struct{{rows}, {0}, {Resized{0, width * 8, d}}}}}}));
    if (scale == 1) {
      Hindexed list{{}, {}, basic(4)};
      for (std::int64_t p = 0; p < planes; ++p)
        for (std::int64_t r = 0; r < rows; ++r)
          for (int half = 0; half < 2; ++half) {
            list.blocklengths.push_back(1);
            list.displacements.push_back(p * plane * 8 + r * width * 8 + 4 * half);
          }
      forms.push_back(flattened(list));
    }
    for (const Pieces& form : forms) BOOST_TEST((form == forms.front()), text(form) << " is " << text(forms.front()));
    BOOST_TEST(packed_size(forms.front()) == rows * planes * 8);
  }
}

BOOST_AUTO_TEST_CASE(distributed_arrays_are_the_vectors_that_they_are) {
  const Type d = basic(8);
  const std::int64_t none = default_argument;
  const Type cyclic = Darray{4, 1, {1000000}, {Distribution::cyclic}, {2}, {4}, Order::c, d};
  BOOST_TEST(text(flattened(cyclic)) == "{ 16:125000x64[16] }");
  const Type block =
      Darray{4, 3, {100, 100}, {Distribution::block, Distribution::block}, {none, none}, {2, 2}, Order::c, d};
  BOOST_TEST(text(flattened(block)) == "{ 40400:50x800[400] }");
}

BOOST_AUTO_TEST_CASE(blocks_that_touch_are_one_copy) {
  const Type d = basic(8);
  BOOST_TEST(text(flattened(Contiguous{1000, d})) == "{ 0:[8000] }");
  BOOST_TEST(text(flattened(Vector{100, 4, 4, d})) == "{ 0:[3200] }");
  BOOST_TEST(text(flattened(Subarray{{50, 60, 70}, {2, 60, 70}, {1, 0, 0}, Order::c, d})) == "{ 33600:[67200] }");
  BOOST_TEST(text(flattened(Struct{{1, 1, 1}, {0, 8, 16}, {d, basic(4), d}})) == "{ 0:[12] 16:[8] }");
  BOOST_TEST(text(flattened(Hindexed{{0, 2, 0, 1}, {64, 0, 7, 16}, d})) == "{ 0:[24] }");
}

BOOST_AUTO_TEST_CASE(nothing_is_nothing) {
  BOOST_TEST(flattened(Contiguous{0, basic(8)}).empty());
  BOOST_TEST(flattened(Vector{10, 0, 3, basic(8)}).empty());
  BOOST_TEST(flattened(Struct{{}, {}, {}}).empty());
  BOOST_TEST(flattened(Resized{-8, 64, Hindexed{{}, {}, basic(8)}}).empty());
}

BOOST_AUTO_TEST_CASE(sizes_beyond_two_gigabytes_are_exact) {
  const Type plane = Vector{std::int64_t{1} << 31, 1, 2, basic(8)};
  const Type t = Hvector{5, 1, plane.extent() + 8, plane};
  BOOST_TEST(t.size() == (std::int64_t{5} << 34));
  BOOST_TEST(packed_size(flattened(t)) == t.size());
  BOOST_TEST(text(flattened(t)) == "{ 0:10737418240x16[8] }");
}

// Beyond most_blocks_written_out, trees that interleave or overlap their own repeats can keep another, equally good,
// form than the list of their bytes gives: about one in seven of these.
BOOST_AUTO_TEST_CASE(random_trees_and_the_lists_of_their_bytes_have_one_form) {
  int beyond = 0, different_beyond = 0;
  for (std::uint64_t seed = 1; seed <= marshal::repeats(26000); ++seed) {
    RandomType random(seed);
    Type type = random(static_cast<int>(random.number(1, 4)), seed % 4 ? 4000 : 600);
    if (seed % 4 == 0)
      type = Hvector{random.number(3, 40), random.number(1, 3), random.number(-200, 400), std::move(type)};
    const Pieces tree = flattened(type), list = flattened(as_list(byte_map(type), random));
    BOOST_TEST_REQUIRE((bytes_of(list) == bytes_of(tree)), "seed " << seed);
    BOOST_TEST_REQUIRE(block_count(list) == block_count(tree), "seed " << seed);
    if (block_count(list) <= most_blocks_written_out) {
      BOOST_TEST_REQUIRE((tree == list), "seed " << seed << "\n  tree " << text(tree) << "\n  list " << text(list));
      continue;
    }
    ++beyond;
    if (!(tree == list)) ++different_beyond;
  }
  BOOST_TEST(beyond > 0);
  BOOST_TEST(4 * different_beyond < beyond, different_beyond << " of " << beyond);
}

// A nest of loops whose inner run would go on where an outer iteration begins is not the form of its list.
BOOST_AUTO_TEST_CASE(a_run_goes_on_across_the_iterations_of_a_nest) {
  const Type d = basic(8);
  // Three of 16, three of those 32 further on, and so on: the third iteration of the outermost continues a run.
  for (const std::int64_t outer : {48, 64, 80, 96, 112, 128, 144}) {
    const Type nest = Hvector{4, 1, outer, Hvector{3, 1, 32, Hvector{3, 1, 16, d}}};
    RandomType random(1);
    BOOST_TEST((flattened(nest) == flattened(as_list(byte_map(nest), random))), outer << " " << text(flattened(nest)));
  }
}

BOOST_AUTO_TEST_CASE(long_sequences_are_loops_where_they_are_repeated_often) {
  Hindexed list{{}, {}, basic(1)};
  for (std::int64_t i = 0; i < 40; ++i) {
    list.blocklengths.push_back(1 + i % 3);
    list.displacements.push_back(i * i);
  }
  const Type fields = Resized{0, 2000, Type(list)};
  const Pieces often = flattened(Contiguous{8, fields}), seldom = flattened(Contiguous{3, fields});
  BOOST_TEST(often.size() == 1);
  BOOST_TEST(often.front().count == 8);
  BOOST_TEST(seldom.size() > 100);
  BOOST_TEST((flattened(Contiguous{1000, fields}).front().body == often.front().body));
}

BOOST_AUTO_TEST_SUITE_END()
