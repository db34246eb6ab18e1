#include "datatype/first_program.h"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <random>
#include <vector>

#include "datatype/flatten.h"
#include "datatype/walk.h"
#include "tests/unit/property_seed.h"
#include "tests/unit/repeats.h"

using namespace marshal::datatype;

namespace {

constexpr std::int64_t element = 8, none = std::numeric_limits<std::int64_t>::max();

Type number() { return Named{{{0, element}}, element, element}; }

// True if both ways move the bytes that the type map names.
bool moves_like(const Type& type, const FirstProgram& first, std::int64_t count) {
  const Pieces pieces = flattened(type);
  const std::int64_t extent = type.extent(), size = packed_size(pieces) * count;
  const Span span = touched(pieces);
  const std::int64_t reach = (count - 1) * extent;
  if (first.program.size != packed_size(pieces) || first.touched.first != span.first || first.touched.end != span.end)
    return false;
  std::vector<std::byte> user(static_cast<std::size_t>(span.end - span.first + reach)), too(user.size());
  for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(7 * i + i / 256 + 1);
  std::vector<std::byte> packed(static_cast<std::size_t>(size)), expected(packed.size());
  std::vector<std::byte> by_reference(user.size());
  const std::byte* const origin = user.data() - span.first;
  reference_pack(pieces, extent, count, origin, expected.data(), {0, size});
  run_pack(first.program, count, origin, packed.data());
  run_unpack(first.program, count, too.data() - span.first, packed.data());
  reference_unpack(pieces, extent, count, by_reference.data() - span.first, expected.data(), {0, size});
  return packed == expected && too == by_reference;
}

std::unique_ptr<const FirstProgram> listed(const std::vector<std::int64_t>& at,
                                           const std::vector<std::int64_t>& lengths) {
  return first_program_of_list({at, lengths, element, element}, none);
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_and_lists_move_the_bytes_of_their_types) {
  std::mt19937 random(marshal::property_seed());
  const auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(1, most)(random); };
  for (std::uint64_t round = 0; round < marshal::repeats(2000); ++round) {
    const std::int64_t blocks = 1 + up_to(round % 50 == 0 ? 3000 : 80), count = up_to(4);
    const std::int64_t length = up_to(6), stride = length + up_to(600);
    const Type vector = Vector{blocks, length, stride, number()};
    const auto rows = first_program_of_rows(blocks, length * element, stride * element, vector.extent());
    BOOST_REQUIRE(rows != nullptr);
    BOOST_TEST_REQUIRE(moves_like(vector, *rows, count));

    std::vector<std::int64_t> at{up_to(100) - 50}, lengths{up_to(9)};
    while (at.size() < static_cast<std::size_t>(blocks)) {
      at.push_back(at.back() + lengths.back() + up_to(5) - 1);
      lengths.push_back(up_to(9));
    }
    const Type ragged = Indexed{lengths, at, number()};
    const auto list = first_program_of_list({at, lengths, element, element}, ragged.extent());
    BOOST_REQUIRE(list != nullptr);
    BOOST_TEST_REQUIRE(moves_like(ragged, *list, count));

    const std::vector<std::int64_t> shortest{1};
    const Type even = IndexedBlock{1, at, number()};
    const auto even_list = first_program_of_list({at, shortest, element, element}, even.extent());
    BOOST_REQUIRE(even_list != nullptr);
    BOOST_TEST_REQUIRE(moves_like(even, *even_list, count));
  }
}

BOOST_AUTO_TEST_CASE(blocks_out_of_order_get_none) {
  BOOST_TEST((listed({0, 4, 2}, {1}) == nullptr));
  BOOST_TEST((listed({0, 4, 2, 9}, {1, 1, 1, 1}) == nullptr));
  BOOST_TEST((listed({0, 1, 2}, {2}) == nullptr));  // they overlap
  BOOST_TEST((listed({9, 4}, {1}) == nullptr));
  BOOST_TEST((first_program_of_rows(4, 8, -16, none) == nullptr));
  BOOST_TEST((first_program_of_rows(4, 8, 4, none) == nullptr));
}

BOOST_AUTO_TEST_CASE(blocks_without_data_get_none) {
  BOOST_TEST((listed({0, 4}, {0}) == nullptr));
  BOOST_TEST((listed({0, 4, 9}, {1, 0, 1}) == nullptr));
  BOOST_TEST((listed({0, 4, 9}, {1, -1, 1}) == nullptr));
  BOOST_TEST((listed({0, 4, 9}, {}) == nullptr));
  BOOST_TEST((listed({}, {1}) == nullptr));
  BOOST_TEST((first_program_of_rows(4, 0, 16, none) == nullptr));
  BOOST_TEST((first_program_of_rows(0, 8, 16, none) == nullptr));
}

BOOST_AUTO_TEST_CASE(blocks_too_far_away_get_none) {
  constexpr std::int64_t far = std::int64_t{1} << 31, farthest = none / 2;
  BOOST_TEST((listed({0, far / element}, {1}) == nullptr));
  BOOST_TEST((listed({0, farthest, 8}, {1}) == nullptr));
  BOOST_TEST((listed({-farthest, farthest}, {1}) == nullptr));
  BOOST_TEST((listed({0, 8, 16}, {1, farthest, 1}) == nullptr));
  BOOST_TEST((listed({0, 8, 16}, {1, 1, farthest}) == nullptr));
  BOOST_TEST((first_program_of_rows(none, 8, 16, none) == nullptr));
}
