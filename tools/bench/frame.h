// The frame of a benchmark: the options that all have, the hosts that it measures, and its tables of figures: aligned
// text for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/json.h"
#include "tools/command_line.h"
#include "tools/mpi_program.h"

namespace marshal::tools {

// One cell of the table; numbers keep their value for JSON, whatever the text rounds them to.
struct Cell {
  Cell(const char* words) : text(words), value(words) {}
  Cell(std::string_view words) : text(words), value(words) {}
  Cell(std::string words) : text(std::move(words)), value(text) {}
  Cell(double number, int decimals);
  Cell(std::int64_t number) : text(std::to_string(number)), value(number) {}

  std::string text;
  report::Json value;
};

// 9.0 MiB; the value stays in bytes.
Cell bytes_cell(double bytes);
// 768K.
std::string count_text(std::int64_t count);

struct FigureTable {
  std::string name{};    // key in JSON
  std::string title{};   // the column's head
  std::string source{};  // the published figure it stands beside
  std::vector<std::string> columns{};
  std::vector<std::vector<Cell>> rows{};
  std::vector<std::string> notes{};
  std::size_t texts = 1;  // columns of texts, which stand to the left

  std::string text() const;
  report::Json json() const;
};

class BenchFrame {
 public:
  // `name` as in "bench files"; `rounds` for each variant, if nothing else is asked for.
  BenchFrame(const std::string& name, const std::string& what, int rounds, int most_rounds);

  CommandLine line;  // for options of its own
  int rounds;

  // The exit status if the command is over. After it hosts() has those to be measured.
  [[nodiscard]] std::optional<int> parse(Arguments arguments);
  const std::vector<ConfiguredHost>& hosts() const { return hosts_; }

  // Prints a table at once, or keeps it for the JSON, which end() prints. Returns the exit status.
  void show(const FigureTable& table);
  int end() const;

 private:
  std::string name_, mpi_;
  bool json_ = false;
  std::vector<ConfiguredHost> hosts_;
  report::Json document_ = report::Json::object();
};

}  // namespace marshal::tools
