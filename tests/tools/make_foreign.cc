// Writes files as somebody who means harm might write them, or a disk that fails. They are a report, a summary, a
// traffic file and a profile. Each is a sample in which a few values are changed, or a few bytes.
//
//   make_foreign SAMPLES SEED DIRECTORY     SAMPLES has whole.json and halo.traffic
//
// The same seed writes the same files: report.json, site/run.summary.json, run.traffic,
// profiles/app.profile and profiles/app.0.0.16.traffic. Most changes keep the kind of a value, and checksums fit, so
// that a reader gets far.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pages/pages.h"
#include "profile/profile_text.h"
#include "record/json.h"
#include "traffic/traffic_file.h"

using namespace marshal;
using report::Json;

namespace {

class Chance {
 public:
  explicit Chance(unsigned seed) : bits_(seed) {}
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : bits_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 bits_;
};

std::string hostile_text(Chance& chance) {
  using namespace std::string_literals;
  static const std::string texts[] = {"\x1b[31m\x1b]0;title\x07"s,
                                      "\xc2\x9b"s + "31m",
                                      "\x7f\x08\x08\x08",
                                      "a b\nMarshal 0: all is well",
                                      "\r\n\ttab",
                                      "=1+2",
                                      "+cmd|' /C calc'!A0",
                                      "@SUM(1,1)",
                                      "-2+3\"",
                                      "</pre><script>alert(1)</script>&amp;&#27;]]>\"'",
                                      "\xe2\x80\xae gnp.exe \xe2\x81\xa7",
                                      "\xe2\x80\xa8 line",
                                      "\xef\xbf\xbe\xef\xbf\xbf",
                                      "nul\0nul"s,
                                      "",
                                      "../../../../etc/passwd",
                                      "/dev/zero",
                                      "/proc/self/mem",
                                      "%s%n{}{0}",
                                      "_ZN1aIN1aIN1aIN1aIN1aIN1aIiEEEEEEEE",
                                      "_Z1fIiEDTcl1gLZ1hvE1iEE",
                                      "$(reboot)`reboot`;reboot",
                                      "-x"};
  if (chance.one_in(12)) return std::string(100000, chance.one_in(2) ? 'x' : ' ');
  return chance.of(texts);
}

std::uint64_t hostile_count(Chance& chance) {
  static const std::uint64_t counts[] = {0,
                                         1,
                                         2,
                                         63,
                                         64,
                                         65,
                                         1023,
                                         1024,
                                         4095,
                                         1U << 16,
                                         1U << 20,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x100000000,
                                         (1ULL << 53) + 1,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         0xffffffffffffffff};
  return chance.of(counts);
}

Json hostile_value(Chance& chance) {
  switch (chance.below(9)) {
    case 0:
      return hostile_text(chance);
    case 1:
      return hostile_count(chance);
    case 2:
      return -1;
    case 3:
      return chance.one_in(2) ? 1e308 : -1e308;
    case 4:
      return {};
    case 5:
      return Json::array();
    case 6:
      return Json::object({});
    case 7: {
      Json deep = 1;
      for (std::size_t depth = chance.below(80); depth > 0; --depth) deep = Json(Json::Array{deep});
      return deep;
    }
    default:
      return Json(Json::Array(chance.below(3000), Json(0)));
  }
}

// Of the same kind.
Json hostile_like(const Json& value, Chance& chance) {
  if (value.get<std::string>() != nullptr) {
    std::string text = value.text();
    const std::size_t at = chance.one_in(3) ? 0 : chance.below(text.size() + 1);
    return chance.one_in(4) ? hostile_text(chance) : text.insert(at, hostile_text(chance));
  }
  if (value.get<double>() != nullptr) return chance.one_in(2) ? Json(1e308) : Json(-0.5);
  if (value.is_number()) return hostile_count(chance);
  if (value.get<bool>() != nullptr) return chance.one_in(2);
  if (value.get<Json::Array>() != nullptr) {
    Json::Array elements = value.elements();
    if (elements.empty()) return value;
    if (chance.one_in(3)) elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(chance.below(elements.size())));
    const Json again = elements.empty() ? Json(0) : chance.of(elements);
    for (std::size_t more = chance.one_in(4) ? 600 : chance.below(4); more > 0; --more) elements.push_back(again);
    return elements;
  }
  return value;
}

// Each value is changed with a chance of 1 in `rarity`.
Json changed(const Json& value, std::size_t rarity, Chance& chance) {
  if (chance.one_in(rarity)) return chance.one_in(8) ? hostile_value(chance) : hostile_like(value, chance);
  if (value.get<Json::Array>() != nullptr) {
    Json::Array elements;
    for (const Json& element : value.elements()) elements.push_back(changed(element, rarity, chance));
    return elements;
  }
  if (value.get<Json::Object>() == nullptr) return value;
  Json object = Json::object({});
  for (const auto& [name, member] : value.members()) {
    if (chance.one_in(20 * rarity)) continue;
    const bool is_schema = name.starts_with("schema");
    object.add(chance.one_in(20 * rarity) ? hostile_text(chance) : name,
               is_schema && !chance.one_in(10) ? member : changed(member, rarity, chance));
  }
  return object;
}

// Texts alone, and many of them: such a file is whole, so that all of it is shown.
Json with_hostile_texts(const Json& value, Chance& chance) {
  if (value.get<std::string>() != nullptr) return chance.one_in(2) ? hostile_like(value, chance) : value;
  if (value.get<Json::Array>() != nullptr) {
    Json::Array elements;
    for (const Json& element : value.elements()) elements.push_back(with_hostile_texts(element, chance));
    return elements;
  }
  if (value.get<Json::Object>() == nullptr) return value;
  Json object = Json::object({});
  for (const auto& [name, member] : value.members())
    object.add(name, name.starts_with("schema") ? member : with_hostile_texts(member, chance));
  return object;
}

void damage(std::string& bytes, Chance& chance) {
  if (bytes.empty()) return;
  switch (chance.below(4)) {
    case 0:
      bytes.resize(chance.below(bytes.size()));
      break;
    case 1:
      for (std::size_t flips = 1 + chance.below(8); flips > 0; --flips)
        bytes[chance.below(bytes.size())] ^= static_cast<char>(1U << chance.below(8));
      break;
    case 2:
      bytes.insert(chance.below(bytes.size()), bytes.substr(chance.below(bytes.size()), 4096));
      break;
    default:
      bytes.erase(chance.below(bytes.size()), chance.below(200));
  }
}

std::string changed_json(const Json& sample, Chance& chance) {
  static const std::size_t rarities[] = {20, 200, 2000};
  const Json value =
      chance.one_in(2) ? with_hostile_texts(sample, chance) : changed(sample, chance.of(rarities), chance);
  std::string text = report::json_text(value, 1);
  if (chance.one_in(4)) damage(text, chance);
  return text;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void put(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

void put_traffic(const std::string& sample, const std::filesystem::path& path, Chance& chance) {
  traffic::TrafficReader reader(sample);
  traffic::Job job = reader.job();
  for (auto& [name, value] : job.facts)
    if (chance.one_in(2)) value = chance.one_in(3) ? std::to_string(hostile_count(chance)) : hostile_text(chance);
  for (std::string& name : job.node_names)
    if (chance.one_in(4)) name = hostile_text(chance);
  if (chance.one_in(4)) job.node_of_process.resize(chance.below(2 * job.node_of_process.size()));
  if (chance.one_in(10)) job.node_of_process.resize(std::size_t{1} << (10 + chance.below(8)));
  std::string bytes = "MARSHALT";
  bytes += std::string("\1\0\0\0\0\0\0\0", 8);
  bytes += traffic::make_block(traffic::BlockKind::job, traffic::job_payload(job), 0, 0);
  traffic::RowPacker packer;
  traffic::ByteWriter end;
  std::uint64_t rows = 0, peers = 0;
  std::vector<traffic::Sent> sent;
  for (traffic::Row row; reader.next(row); ++rows, peers += row.to_processes.size() + row.to_nodes.size()) {
    sent.assign(row.to_processes.begin(), row.to_processes.end());
    for (traffic::Sent& one : sent) {
      if (chance.one_in(20)) one.messages = hostile_count(chance);
      if (chance.one_in(20)) one.bytes = hostile_count(chance);
    }
    row.to_processes = sent;
    packer.add(row);
  }
  bytes += packer.take();
  end.number(rows);
  end.number(peers);
  bytes += traffic::make_block(traffic::BlockKind::end, end.bytes(), 0, 0);
  if (chance.one_in(5)) damage(bytes, chance);
  put(path, bytes);
}

std::string changed_profile(Chance& chance) {
  profile::Contents contents;
  for (int i = 0; i < 3; ++i) {
    profile::LearnedGrid grid;
    grid.program = "app";
    grid.processes = 16;
    grid.arguments = std::to_string(i);
    grid.site = "app.c:12 in main";
    grid.command = "app -n " + std::to_string(i);
    grid.grid = mapping::make_grid(std::array{4, 4}, std::array{1, 0});
    grid.directories = {"here"};
    grid.stencil = "0,1*8;1,0";
    grid.job = "4711";
    grid.learned = "2026-11-21T09:14:47+00:00";
    contents.grids.push_back(grid);
  }
  contents.moved_runs.push_back({"app", "", "1", "host-1", "4711", "2026-11-21T09:14:47+00:00", "app -n"});
  std::string text = profile::to_text(contents);
  for (std::size_t changes = chance.below(4); changes > 0; --changes) {
    const std::size_t tab = text.find('\t', chance.below(text.size()));
    if (tab == text.npos) continue;
    const std::size_t end = text.find_first_of("\t\n", tab + 1);
    text.replace(tab + 1, end - tab - 1,
                 chance.one_in(3) ? std::to_string(hostile_count(chance)) : hostile_text(chance));
  }
  if (chance.one_in(4)) damage(text, chance);
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const std::filesystem::path samples = arguments[1], directory = arguments[3];
  Chance chance(static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10)));
  const std::string whole = contents(samples / "whole.json");
  std::string why_not;
  const auto json = report::parse_json(whole);
  const auto record = report::from_json(whole, why_not);
  if (!json || !record) {
    std::fprintf(stderr, "%s: %s\n", samples.c_str(), why_not.c_str());
    return 2;
  }
  report::Summary summary = report::summary_of(*record, "");
  put(directory / "report.json", changed_json(*json, chance));
  put(directory / "site/run.summary.json", changed_json(*report::parse_json(report::to_json(summary)), chance));
  put_traffic(samples / "halo.traffic", directory / "run.traffic", chance);
  put(directory / "profiles/app.profile", changed_profile(chance));
  put_traffic(samples / "halo.traffic", directory / "profiles/app.0.0.16.traffic", chance);
  return 0;
}
