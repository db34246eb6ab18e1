#include "topology/switch_tree.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include "base/split_text.h"
#include "topology/hostlist.h"

namespace marshal::topology {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool is_keyword(std::string_view text, std::string_view keyword) {
  return text.size() == keyword.size() && strncasecmp(text.data(), keyword.data(), text.size()) == 0;
}

// Lines without comments; one that ends in \ is joined with the next.
struct Line {
  std::size_t number;
  std::string text;
};
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  bool goes_on = false;
  std::size_t number = 0;
  for (std::string_view part : split(text, '\n')) {
    ++number;
    part = trimmed(part.substr(0, part.find('#')));
    const bool is_continued = goes_on;
    goes_on = part.ends_with('\\');
    if (goes_on) part.remove_suffix(1);
    if (is_continued)
      lines.back().text += " " + std::string(part);
    else
      lines.push_back({number, std::string(part)});
  }
  std::erase_if(lines, [](const Line& line) { return trimmed(line.text).empty(); });
  return lines;
}

}  // namespace

class SwitchTree::Reader {
 public:
  explicit Reader(SwitchTree& tree) : tree_(tree) {}

  void read(std::string_view text) {
    for (const Line& line : lines_of(text)) {
      Definition definition = definition_of(line);
      if (!index_of_.try_emplace(definition.name, std::ssize(definitions_)).second)
        wrong(line.number, fmt::format("the switch {} is defined twice", definition.name));
      tree_.switches_.push_back({definition.name});
      definitions_.push_back(std::move(definition));
    }
    if (definitions_.empty()) throw std::invalid_argument(tree_.file_ + ": has no switches");
    for (std::int32_t i = 0; i < std::ssize(definitions_); ++i) connect(i);
    find_levels();
  }

 private:
  enum class Has { nodes, switches, either };
  struct Definition {
    std::size_t line;
    std::string name;
    std::vector<std::string> members;
    Has has;
  };

  [[noreturn]] void wrong(std::size_t line, std::string_view what) const {
    throw std::invalid_argument(fmt::format("{}, line {}: {}", tree_.file_, line, what));
  }

  std::vector<std::string> names_in(std::string_view list, std::size_t line) {
    try {
      std::vector<std::string> names = expand_hostlist(list);
      names_ += names.size();
      if (names_ > most_hosts) wrong(line, fmt::format("the file has more than {} names", most_hosts));
      return names;
    } catch (const std::invalid_argument& error) {
      if (std::string_view(error.what()).starts_with(tree_.file_)) throw;
      wrong(line, error.what());
    }
  }

  std::string one_name(std::string_view text, std::size_t line) {
    std::vector<std::string> names = names_in(text, line);
    if (names.size() != 1) wrong(line, fmt::format("'{}' is not the name of one switch", text));
    return names.front();
  }

  Definition definition_of(const Line& line) {
    const std::size_t colon = line.text.find(':');
    const bool is_short = line.text.find('=') == std::string::npos;
    if (is_short && colon == std::string::npos)
      wrong(line.number, fmt::format("'{}' is neither 'switch: node,node' nor 'SwitchName=… Nodes=…'", line.text));
    if (!is_short) return slurm_definition(line);
    const std::string_view text = line.text;
    return {line.number, one_name(trimmed(text.substr(0, colon)), line.number),
            names_in(trimmed(text.substr(colon + 1)), line.number), Has::either};
  }

  Definition slurm_definition(const Line& line) {
    Definition definition{line.number, {}, {}, Has::either};
    for (const std::string_view word : split_at_blanks(line.text)) {
      const std::size_t equals = std::min(word.find('='), word.size());
      const std::string_view key = word.substr(0, equals);
      const std::string_view value = equals < word.size() ? word.substr(equals + 1) : std::string_view();
      if (is_keyword(key, "SwitchName")) {
        definition.name = one_name(value, line.number);
      } else if (is_keyword(key, "Nodes") || is_keyword(key, "Switches")) {
        const Has has = is_keyword(key, "Nodes") ? Has::nodes : Has::switches;
        if (definition.has == has) wrong(line.number, fmt::format("'{}' is there twice", key));
        std::vector<std::string> members = names_in(value, line.number);
        if (definition.has == Has::switches) continue;
        definition.members = std::move(members);
        definition.has = has;
      } else if (!is_keyword(key, "LinkSpeed") && !is_keyword(key, "Level")) {
        wrong(line.number, fmt::format("'{}' is not understood: SwitchName, Nodes, Switches and LinkSpeed are", word));
      }
    }
    if (definition.name.empty()) wrong(line.number, "SwitchName= is missing");
    if (definition.has == Has::either) wrong(line.number, "Nodes= or Switches= is missing");
    return definition;
  }

  void connect(std::int32_t number) {
    const Definition& definition = definitions_[at(number)];
    Has has = definition.has;
    if (has == Has::either) has = index_of_.contains(definition.members.front()) ? Has::switches : Has::nodes;
    for (const std::string& member : definition.members) {
      const auto found = index_of_.find(member);
      const bool is_switch = found != index_of_.end();
      if (definition.has == Has::either && is_switch != (has == Has::switches))
        wrong(definition.line, fmt::format("the switch {} has both nodes and switches", definition.name));
      if (has == Has::switches && !is_switch)
        wrong(definition.line, fmt::format("no line defines the switch {}", member));
      std::int32_t& parent = has == Has::switches ? tree_.switches_[at(found->second)].parent
                                                  : tree_.switch_of_node_.try_emplace(member, -1).first->second;
      if (parent >= 0)
        wrong(definition.line, fmt::format("{} stands under {} already", member, tree_.switches_[at(parent)].name));
      parent = number;
    }
  }

  // From those that have nodes upwards.
  void find_levels() {
    std::vector<Switch>& switches = tree_.switches_;
    std::vector<std::int32_t> below(switches.size()), ready;
    for (const Switch& one : switches)
      if (one.parent >= 0) ++below[at(one.parent)];
    for (std::int32_t i = 0; i < std::ssize(switches); ++i)
      if (below[at(i)] == 0) ready.push_back(i);
    for (std::size_t next = 0; next < ready.size(); ++next) {
      const Switch& one = switches[at(ready[next])];
      if (one.parent < 0) continue;
      Switch& parent = switches[at(one.parent)];
      parent.level = std::max(parent.level, one.level + 1);
      if (parent.level >= most_levels)
        wrong(definitions_[at(one.parent)].line, fmt::format("more than {} levels of switches", most_levels));
      if (--below[at(one.parent)] == 0) ready.push_back(one.parent);
    }
    for (std::size_t i = 0; i < switches.size(); ++i)
      if (below[i] > 0) wrong(definitions_[i].line, fmt::format("the switch {} stands under itself", switches[i].name));
  }

  SwitchTree& tree_;
  std::vector<Definition> definitions_;
  std::map<std::string, std::int32_t> index_of_;
  std::size_t names_ = 0;
};

std::string name_of_level(std::int32_t level) {
  return level == 0 ? "switches" : fmt::format("switches of level {}", level);
}

SwitchTree::SwitchTree(std::string_view text, const std::string& file) : file_(file) { Reader(*this).read(text); }

std::int32_t SwitchTree::switch_of(const std::string& node) const {
  auto found = switch_of_node_.find(node);
  if (found == switch_of_node_.end()) found = switch_of_node_.find(std::string_view(node).substr(0, node.find('.')));
  if (found == switch_of_node_.end())
    throw std::invalid_argument(fmt::format("{}: the node {} stands under no switch", file_, node));
  return found->second;
}

// `lowest`: the switch that has each node.
std::vector<std::int32_t> SwitchTree::domains_at(std::int32_t level, std::span<const std::int32_t> lowest) const {
  std::map<std::int32_t, std::int32_t> number_of;
  std::vector<std::int32_t> domains;
  for (std::int32_t one : lowest) {
    for (std::int32_t up; (up = switches_[at(one)].parent) >= 0 && switches_[at(up)].level <= level;) one = up;
    domains.push_back(number_of.try_emplace(one, static_cast<std::int32_t>(number_of.size())).first->second);
  }
  return domains;
}

std::vector<SwitchLevel> SwitchTree::levels_above(std::span<const std::string> nodes) const {
  std::vector<std::int32_t> lowest;
  for (const std::string& node : nodes) lowest.push_back(switch_of(node));
  std::vector<SwitchLevel> levels;
  for (std::int32_t level = most_levels - 1; level >= 0; --level) {
    std::vector<std::int32_t> domains = domains_at(level, lowest);
    const std::size_t count = std::set<std::int32_t>(domains.begin(), domains.end()).size();
    if (count < 2 || count == nodes.size()) continue;
    // The lowest of several levels that tell the same nodes apart counts.
    if (levels.empty() || levels.back().domain_of_node != domains) levels.push_back({level, std::move(domains)});
    levels.back().level = level;
  }
  return levels;
}

}  // namespace marshal::topology
