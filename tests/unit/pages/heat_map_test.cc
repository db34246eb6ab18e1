#include <boost/test/unit_test.hpp>

#include "pages/pictures.h"

using namespace marshal::report;

namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++found;
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_pair_has_a_square_and_the_largest_the_darkest) {
  const NodeBytes pairs[] = {{0, 1, 1000.0}, {1, 0, 10.0}, {1, 1, 1e9}};
  const HeatPanel panel{"before", {"two nodes"}, pairs};
  const std::string svg = heat_maps(2, {&panel, 1}, "a < b");
  BOOST_TEST(count(svg, "a &lt; b") == 1u);
  BOOST_TEST(count(svg, "fill=\"#0e366b\" d=\"M1 0h1v1h-1z\"") == 1u);  // row 0, column 1
  BOOST_TEST(count(svg, "d=\"M0 1h1v1h-1z\"") == 1u);
  BOOST_TEST(count(svg, "fill=\"#e4e4e4\" d=\"M0 0h1v1h-1zM1 1h1v1h-1z\"") == 1u);  // within nodes
  BOOST_TEST(count(svg, "1000 B") == 1u);
}

BOOST_AUTO_TEST_CASE(panels_share_one_scale) {
  const NodeBytes before[] = {{0, 1, 1e6}}, after[] = {{0, 1, 1e3}};
  const HeatPanel panels[] = {{"before", {}, before}, {"after", {}, after}};
  const std::string svg = heat_maps(2, panels, "");
  BOOST_TEST(count(svg, "fill=\"#0e366b\" d=") == 1u);  // only the panel that has the most
}

BOOST_AUTO_TEST_CASE(half_the_bytes_look_like_less) {
  const NodeBytes before[] = {{0, 1, 2000}}, after[] = {{0, 1, 1000}};
  const HeatPanel panels[] = {{"before", {}, before}, {"after", {}, after}};
  const std::string svg = heat_maps(2, panels, "");
  BOOST_TEST(count(svg, "fill=\"#0e366b\" d=") == 1u);
  BOOST_TEST(count(svg, "each step is 1.25 times the one before") == 1u);
}

BOOST_AUTO_TEST_CASE(many_nodes_are_drawn_in_blocks) {
  std::vector<NodeBytes> ring;
  for (std::uint32_t node = 0; node < 10000; ++node) ring.push_back({node, (node + 1) % 10000, 1.0});
  const HeatPanel panel{"ring", {}, ring};
  const std::string svg = heat_maps(10000, {&panel, 1}, "");
  BOOST_TEST(count(svg, "40 nodes a square") == 1u);
  BOOST_TEST(svg.size() < 50'000u);
}

BOOST_AUTO_TEST_CASE(nothing_sent_is_an_empty_picture) {
  const HeatPanel panel{"nothing", {}, {}};
  BOOST_TEST(count(heat_maps(3, {&panel, 1}, ""), "</svg>") == 1u);
  BOOST_TEST(count(heat_maps(0, {&panel, 1}, ""), "</svg>") == 1u);
}
