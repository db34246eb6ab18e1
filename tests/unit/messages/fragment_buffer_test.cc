#include "messages/mpich/fragment_buffer.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "datatype/flatten.h"
#include "tests/unit/property_seed.h"

using namespace marshal;
using namespace marshal::datatype;

namespace {

using Bytes = std::vector<std::byte>;

Bytes noise(std::size_t size, std::mt19937::result_type seed) {
  std::mt19937 random(seed);
  Bytes all(size);
  for (std::byte& b : all) b = static_cast<std::byte>(random());
  return all;
}

// The columns of a matrix of doubles, one after the other.
class Transposed {
 public:
  explicit Transposed(std::int64_t n)
      : type_(Contiguous{n, Resized{0, 8, Vector{n, 1, n, basic(8)}}}),
        layout_(flattened(type_), type_.extent(), 0, {}) {
    Bytes packed(size());
    user_ = noise(size(), 1);
    for (int i = 0; i < 10000 && !layout_.plan.is_settled(1); ++i) layout_.plan.pack(1, user_.data(), packed.data());
  }
  std::size_t size() const { return static_cast<std::size_t>(layout_.plan.size()); }
  const SharedLayout& layout() const { return layout_; }
  Bytes& user() { return user_; }
  MessagePart message(Bytes& user) const { return {&layout_, 1, user.data(), layout_.plan.size()}; }

 private:
  Type type_;
  SharedLayout layout_;
  Bytes user_;
};

// A message in random pieces.
std::vector<PackedRange> pieces_of(std::int64_t size, std::mt19937& random) {
  std::vector<PackedRange> all;
  const std::int64_t most = random() % 4 == 0 ? 2 * FragmentBuffer::room : 9000;
  for (std::int64_t at = 0; at < size;) {
    const std::int64_t end = std::min<std::int64_t>(at + 1 + static_cast<std::int64_t>(random()) % most, size);
    all.push_back({at, end});
    at = end;
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fragment_buffer)

BOOST_AUTO_TEST_CASE(long_transposes_are_served_and_nothing_else) {
  Transposed matrix(300);
  BOOST_TEST(FragmentBuffer::serves(matrix.message(matrix.user())));
  Transposed small(150);
  BOOST_TEST(!FragmentBuffer::serves(small.message(small.user())));
  const SharedLayout columns(flattened(Vector{50000, 1, 2, basic(8)}), 800000, 0, {});
  Bytes user(800000), packed(400000);
  for (int i = 0; i < 10000 && !columns.plan.is_settled(1); ++i) columns.plan.pack(1, user.data(), packed.data());
  BOOST_TEST(!FragmentBuffer::serves({&columns, 1, user.data(), 400000}));
}

BOOST_AUTO_TEST_CASE(any_fragments_in_any_order_are_packed_as_the_whole) {
  Transposed matrix(300);
  Bytes expected(matrix.size());
  matrix.layout().plan.pack(1, matrix.user().data(), expected.data());
  std::mt19937 random(property_seed());
  const MessagePart message = matrix.message(matrix.user());
  for (int round = 0; round < 50; ++round) {
    std::vector<PackedRange> ranges = pieces_of(message.size, random);
    if (round % 3 == 0) std::shuffle(ranges.begin(), ranges.end(), random);
    Bytes packed(matrix.size());
    FragmentBuffer buffer;
    for (const PackedRange& range : ranges) buffer.pack(message, packed.data() + range.from, range);
    buffer.end(message);
    BOOST_REQUIRE(packed == expected);
  }
}

BOOST_AUTO_TEST_CASE(any_fragments_in_any_order_are_unpacked_by_the_end) {
  Transposed matrix(300);
  std::mt19937 random(property_seed());
  FragmentBuffer buffer;  // of one message after the other
  for (int round = 0; round < 50; ++round) {
    const Bytes packed = noise(matrix.size(), random());
    Bytes expected(matrix.size()), user(matrix.size());
    const MessagePart message = matrix.message(user);
    std::vector<PackedRange> ranges = pieces_of(message.size, random);
    if (round % 2 == 0) ranges.resize(1 + random() % ranges.size());  // a shorter message than was expected
    if (round % 3 == 0) std::shuffle(ranges.begin(), ranges.end(), random);
    for (const PackedRange& range : ranges) {
      matrix.layout().plan.unpack_range(1, expected.data(), packed.data() + range.from, range);
      buffer.unpack(message, packed.data() + range.from, range);
    }
    buffer.end(message);
    BOOST_REQUIRE(user == expected);
  }
}

BOOST_AUTO_TEST_SUITE_END()
