#include "settings/settings.h"

#include <fnmatch.h>

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

CartUse cart_use(const Options& options) {
  if (options.is(Option::cart, "off")) return CartUse::off;
  return options.is(Option::cart, "report") ? CartUse::report : CartUse::reorder;
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

Settings::Settings(Options options, std::string_view program)
    : Options(std::move(options)),
      rankmap(map_form(*this)),
      asks_host(!is(Option::rankmap, "derived")),
      cart(cart_use(*this)),
      mapper(cart == CartUse::reorder ? mapping::parse_mapper(word(Option::cart)) : mapping::Mapper::best),
      cart_move(enumerator<CartMove>(*this, Option::cart_move)),
      cart_ties(enumerator<mapping::Ties>(*this, Option::cart_ties)),
      cart_force(on(Option::cart_force)),
      cart_learns(is(Option::cart_weights, "auto") && is(Option::cart_stencil, "auto")),
      graph(enumerator<GraphUse>(*this, Option::graph)),
      dims(dims_rule(*this)),
      topology_given(!is(Option::topology, "auto")),
      pack(enumerator<PackEngine>(*this, Option::pack)),
      messages(enumerator<MessageEngine>(*this, Option::messages)),
      files(enumerator<FileEngine>(*this, Option::files)),
      traffic(enumerator<Traffic>(*this, Option::traffic)),
      time(text(Option::time) == "auto"),
      skip_init(on(Option::skip_init)),
      reports{has(Option::report, "text"), has(Option::report, "details"), has(Option::report, "json"),
              has(Option::report, "html"), has(Option::report, "summary")},
      call_site_frames(frames(*this)),
      excluded_by(pattern_that_matches(program, text(Option::exclude))),
      disable(on(Option::disable) || !excluded_by.empty()),
      self_check(on(Option::self_check)) {}

}  // namespace marshal
