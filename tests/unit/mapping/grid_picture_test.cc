#include "mapping/grid_picture.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace marshal::mapping;

namespace {

double attribute(const std::string& element, const std::string& name) {
  const auto at = element.find(" " + name + "=\"");
  return at == std::string::npos ? -1 : std::stod(element.substr(at + name.size() + 3));
}

struct Rectangle {
  double x, y, width, height;
  std::string fill;
  bool holds(double px, double py) const { return px >= x && px <= x + width && py >= y && py <= y + height; }
};

// The elements that begin so, each up to its end.
std::vector<std::string> elements(const std::string& svg, const std::string& begin) {
  std::vector<std::string> all;
  for (auto at = svg.find(begin); at != std::string::npos; at = svg.find(begin, at + 1))
    all.push_back(svg.substr(at, svg.find('\n', at) - at));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_number_of_a_node_lies_on_a_border) {
  for (const auto& [rows, columns, per_node] :
       {std::tuple{40, 40, 12}, std::tuple{12, 10, 8}, std::tuple{100, 30, 7}}) {
    const int dims[] = {rows, columns}, periods[] = {0, 0};
    const Grid grid = make_grid(dims, periods);
    std::vector<std::int32_t> nodes;
    for (int cell = 0; cell < rows * columns; ++cell) nodes.push_back(cell / per_node);
    const GridPanel panel{"given order", {}, nodes};
    const std::string svg = draw_grids(grid, {&panel, 1}, "test");
    std::vector<Rectangle> rectangles;
    for (const std::string& element : elements(svg, "<rect x=")) {
      const auto fill = element.find("fill=");
      rectangles.push_back({attribute(element, "x"), attribute(element, "y"), attribute(element, "width"),
                            attribute(element, "height"), element.substr(fill, 14)});
    }
    for (const std::string& label : elements(svg, "<text class=\"node\"")) {
      const double x = attribute(label, "x"), y = attribute(label, "y") - 3.5;
      const auto digits = static_cast<double>(label.find('<', 1) - label.find('>') - 1);
      std::string fill;
      for (const double dx : {-3.0 * digits, 0.0, 3.0 * digits})
        for (const double dy : {-4.0, 4.0})
          for (const Rectangle& rectangle : rectangles)
            if (rectangle.holds(x + dx, y + dy)) {
              BOOST_TEST((fill.empty() || fill == rectangle.fill), label);
              fill = rectangle.fill;
            }
    }
    if (columns == 10) BOOST_TEST(elements(svg, "<text class=\"node\"").size() == 15u);
  }
}
