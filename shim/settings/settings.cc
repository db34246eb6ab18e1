#include "settings/settings.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "base/split_text.h"

namespace marshal {
namespace {

// The words of these rows are the enumerators in their order.
template <class Enum>
Enum enumerator(const Options& options, Option option) {
  return static_cast<Enum>(options[option].word);
}

MapForm map_form(const Options& options) {
  return options.is(Option::rankmap, "derived") ? MapForm::blocks : enumerator<MapForm>(options, Option::rankmap);
}

CartUse cart_use(std::string_view word) {
  if (word == "off") return CartUse::off;
  return word == "report" ? CartUse::report : CartUse::reorder;
}

std::optional<mapping::DimsRule> dims_rule(const Options& options) {
  if (options.is(Option::dims, "host")) return std::nullopt;
  return options.is(Option::dims, "node") ? mapping::DimsRule::node : mapping::DimsRule::balanced;
}

std::int64_t frames(const Options& options) {
  if (options.is(Option::callsites, "off")) return 0;
  return options.is(Option::callsites, "on") ? 4 : options.integer(Option::callsites);
}

// The first pattern of the list that the name matches; empty if none does.
std::string pattern_that_matches(std::string_view program, std::string_view list) {
  if (program.empty() || list == "none") return {};
  const std::string name(program);
  for (const std::string_view part : split(list, ',')) {
    std::string pattern(part);
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return pattern;
  }
  return {};
}

}  // namespace

std::optional<CartWords> cart_words_in(std::string_view text) {
  constexpr std::string_view prefix = "graphs:";
  const std::vector<std::string_view> parts = split(text, ',');
  const bool has_graphs = !parts.empty() && parts.back().starts_with(prefix);
  if (parts.empty() || parts.size() > (has_graphs ? 2 : 1)) return std::nullopt;
  CartWords words{has_graphs && parts.size() == 1 ? row(Option::cart).initial : parts.front(), {}};
  const auto known = words_of(row(Option::cart));
  if (std::ranges::find(known, words.grids) == known.end()) return std::nullopt;
  words.graphs = cart_use(words.grids) == CartUse::reorder ? std::string_view("best") : words.grids;
  if (has_graphs) words.graphs = parts.back().substr(prefix.size());
  const bool is_one = words.graphs == "best" || words.graphs == "report" || words.graphs == "off";
  return is_one ? std::optional(words) : std::nullopt;
}

Settings::Settings(Options options, std::string_view program)
    : Options(std::move(options)),
      rankmap(map_form(*this)),
      asks_host(!is(Option::rankmap, "derived")),
      cart_word(cart_words_in(text(Option::cart))->grids),
      graph_word(cart_words_in(text(Option::cart))->graphs),
      cart(cart_use(cart_word)),
      graph(cart_use(graph_word)),
      mapper(cart == CartUse::reorder ? mapping::parse_mapper(cart_word) : mapping::Mapper::best),
      cart_move(enumerator<CartMove>(*this, Option::cart_move)),
      cart_learns(is(Option::cart_weights, "auto") && is(Option::cart_stencil, "auto")),
      dims(dims_rule(*this)),
      topology_given(!is(Option::topology, "auto")),
      pack(enumerator<PackEngine>(*this, Option::pack)),
      messages(enumerator<MessageEngine>(*this, Option::messages)),
      files(enumerator<FileEngine>(*this, Option::files)),
      exchange(enumerator<ExchangeWay>(*this, Option::exchange)),
      traffic(enumerator<Traffic>(*this, Option::traffic)),
      time(!is(Option::time, "off")),
      watch_seconds(is(Option::watch, "off") ? 0 : integer(Option::watch)),
      skip_init(is(Option::time, "skip-init")),
      reports{has(Option::report, "text"), has(Option::report, "details"), has(Option::report, "json"),
              has(Option::report, "html"), has(Option::report, "summary")},
      call_site_frames(frames(*this)),
      excluded_by(pattern_that_matches(program, text(Option::exclude))),
      disable(on(Option::disable) || !excluded_by.empty()),
      self_check(on(Option::self_check)) {}

}  // namespace marshal
