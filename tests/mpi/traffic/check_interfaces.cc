// check_interfaces REPORT DIRECTORY NODES: did each node's network interface send the bytes that the report says left
// the node? DIRECTORY has what watch_interface wrote, of nodes n0, n1 …
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "pages/pages.h"

namespace {

// An interface may send more than the data: a share of the data for headers of messages and packets, and for
// acknowledgements of what the node receives. Besides, connections are set up and Marshal gathers its report, once.
constexpr double part_of_headers = 0.02, once = 512 * 1024;

// Between the first rank's begin and the last one's end.
std::uint64_t sent_by(const std::string& node, const std::filesystem::path& directory) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().stem() != node) continue;
    std::ifstream file(entry.path());
    std::uint64_t before = 0, after = 0;
    file >> before >> after;
    first = std::min(first, before);
    last = std::max(last, after);
  }
  return last < first ? 0 : last - first;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print("usage: check_interfaces REPORT DIRECTORY NODES\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  std::string why_not;
  const std::optional<marshal::report::Record> record = marshal::report::from_json(json, why_not);
  if (!record) {
    fmt::print("{}: {}\n", argv[1], why_not);
    return 1;
  }
  bool right = true;
  const auto nodes = static_cast<std::uint64_t>(std::atoi(argv[3]));
  for (std::uint64_t node = 0; node < nodes; ++node) {
    const auto row = record->traffic.leaving.find(node);
    const auto counted = row == record->traffic.leaving.end() ? 0 : static_cast<double>(row->second.in_force);
    const auto sent = static_cast<double>(sent_by(fmt::format("n{}", node), argv[2]));
    fmt::print("node {}: counted {:.0f} B, its interface sent {:.0f} B, {:+.0f} B or {:+.2f} %\n", node, counted, sent,
               sent - counted, 100 * (sent / std::max(counted, 1.0) - 1));
    if (counted > 0 && sent >= counted && sent <= counted * (1 + part_of_headers) + once) continue;
    fmt::print("node {}: that is not the same\n", node);
    right = false;
  }
  return right ? 0 : 1;
}
