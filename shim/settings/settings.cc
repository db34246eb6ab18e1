#include "settings/settings.h"

#include <utility>

namespace marshal {
namespace {

// The words of these rows are the enumerators in their order.
template <class Enum>
Enum enumerator(const Options& options, Option option) {
  return static_cast<Enum>(options[option].word);
}

CartUse cart_use(const Options& options) {
  if (options.is(Option::kCart, "off")) return CartUse::off;
  return options.is(Option::kCart, "report") ? CartUse::report : CartUse::reorder;
}

std::optional<mapping::DimsRule> dims_rule(const Options& options) {
  if (options.is(Option::kDims, "host")) return std::nullopt;
  return options.is(Option::kDims, "node") ? mapping::DimsRule::node : mapping::DimsRule::balanced;
}

std::int64_t frames(const Options& options) {
  if (options.is(Option::kCallsites, "off")) return 0;
  return options.is(Option::kCallsites, "on") ? 4 : options.integer(Option::kCallsites);
}

}  // namespace

Settings::Settings(Options options)
    : Options(std::move(options)),
      rankmap(enumerator<MapForm>(*this, Option::kRankmap)),
      cart(cart_use(*this)),
      mapper(cart == CartUse::reorder ? mapping::parse_mapper(word(Option::kCart)) : mapping::Mapper::best),
      cart_move(enumerator<CartMove>(*this, Option::kCartMove)),
      cart_ties(enumerator<mapping::Ties>(*this, Option::kCartTies)),
      cart_force(on(Option::kCartForce)),
      cart_learns(is(Option::kCartWeights, "auto") && is(Option::kCartStencil, "auto")),
      graph(enumerator<GraphUse>(*this, Option::kGraph)),
      dims(dims_rule(*this)),
      topology_given(!is(Option::kTopology, "auto")),
      pack(enumerator<PackEngine>(*this, Option::kPack)),
      messages(enumerator<MessageEngine>(*this, Option::kMessages)),
      traffic(enumerator<Traffic>(*this, Option::kTraffic)),
      reports{has(Option::kReport, "text"), has(Option::kReport, "json"), has(Option::kReport, "html")},
      call_site_frames(frames(*this)),
      disable(on(Option::kDisable)),
      self_check(on(Option::kSelfCheck)) {}

}  // namespace marshal
