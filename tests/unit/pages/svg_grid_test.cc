#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "pages/pictures.h"

using namespace marshal::report;

namespace {

using Dims = std::vector<std::uint64_t>;
using Nodes = std::vector<std::uint32_t>;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

double attribute(const std::string& element, const std::string& name) {
  const auto at = element.find(name);
  return at == std::string::npos ? -1 : std::stod(element.substr(at + name.size()));
}

// The elements that begin so, each up to its end.
std::vector<std::string> elements(const std::string& svg, const std::string& begin) {
  std::vector<std::string> all;
  for (auto at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1))
    all.push_back(svg.substr(at, svg.find('\n', at) - at));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_grid_is_drawn_with_each_cell_once) {
  const GridDrawing drawing = draw_grid(Dims{2, 3}, Nodes{0, 0, 0, 0, 1, 1}, 300);
  BOOST_TEST(contains(drawing.elements, "M0 0h3v1h-3zM0 1h1v1h-1z"));  // node 0: the first row and one cell
  BOOST_TEST(contains(drawing.elements, "M1 1h2v1h-2z"));              // node 1: the rest
  BOOST_TEST(contains(drawing.elements, "M1 1V2M1 1H3M0 0h3v2H0z"));   // borders: between them, and around all
  BOOST_TEST(drawing.shown == "");
  BOOST_CHECK_THROW(draw_grid(Dims{2, 3}, Nodes{0, 0, 0, 0, 1}, 300), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(grids_of_any_number_of_dimensions_are_drawn) {
  BOOST_TEST(elements(draw_grid({}, Nodes{0}, 300).elements, "<path fill").size() == 1u);
  BOOST_TEST(elements(draw_grid(Dims{4}, Nodes{0, 0, 1, 1}, 300).elements, "<path fill").size() == 2u);
  const GridDrawing cube = draw_grid(Dims{2, 2, 2}, Nodes(8, 0), 300);
  BOOST_TEST(contains(cube.elements, ">(1, *, *)<"));
  BOOST_TEST(cube.shown == "");
}

BOOST_AUTO_TEST_CASE(a_large_grid_is_cut_off_and_says_so) {
  const GridDrawing drawing = draw_grid(Dims{100, 2, 2}, Nodes(400, 0), 300);
  BOOST_TEST(drawing.shown == "Shown: 64 of 100 slices, 2 of 2 rows, 2 of 2 columns.");
}

BOOST_AUTO_TEST_CASE(no_number_of_a_node_lies_on_a_border) {
  for (const auto& [rows, columns, per_node] :
       {std::tuple{40u, 40u, 12u}, std::tuple{12u, 10u, 8u}, std::tuple{100u, 30u, 7u}}) {
    Nodes nodes;
    for (std::uint32_t cell = 0; cell < rows * columns; ++cell) nodes.push_back(cell / per_node);
    const std::string svg = draw_grid(Dims{rows, columns}, nodes, 560).elements;
    const double side = attribute(svg, "scale(");
    for (const std::string& label : elements(svg, "<text class=\"node\"")) {
      const double x = attribute(label, " x=\""), y = attribute(label, " y=\"") - 3.5;
      const std::string number = label.substr(label.find('>') + 1, label.find('<', 1) - label.find('>') - 1);
      for (const double dx : {-3.0 * static_cast<double>(number.size()), 0.0, 3.0 * static_cast<double>(number.size())})
        for (const double dy : {-4.0, 4.0}) {
          const auto row = static_cast<std::size_t>((y + dy) / side),
                     column = static_cast<std::size_t>((x + dx) / side);
          BOOST_TEST(nodes.at(row * columns + column) == std::stoul(number), label);
        }
    }
    if (columns == 10) BOOST_TEST(elements(svg, "<text class=\"node\"").size() == 15u);
  }
}
