#include "types/layouts.h"

#include <xxhash.h>

#include <algorithm>
#include <array>

#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using datatype::Piece;
using datatype::Pieces;

std::uint64_t hash_of_pieces(const Pieces& pieces) {
  std::array<std::int64_t, 256> numbers;  // of many pieces: a call of the hash for each would take longer
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at < pieces.size();) {
    std::size_t count = 0;
    for (; at < pieces.size() && count < numbers.size(); ++at) {
      const Piece& p = pieces[at];
      numbers[count++] = p.disp;
      numbers[count++] = p.length;
      if (!p.is_loop()) continue;
      const std::int64_t loop[] = {p.count, p.stride};
      hash = XXH3_64bits_withSeed(loop, sizeof loop, hash ^ hash_of_pieces(p.body));
    }
    hash = XXH3_64bits_withSeed(numbers.data(), count * sizeof numbers[0], hash);
  }
  return hash;
}

std::size_t piece_count(const Pieces& pieces) {
  std::size_t count = pieces.size();
  for (const Piece& p : pieces)
    if (!p.body.empty()) count += piece_count(p.body);
  return count;
}

}  // namespace

void PackCalls::add_timed(std::int64_t more, std::int64_t ns) {
  if (more <= 0) return;  // nothing was moved: its time says nothing
  constexpr double disturbed = 8;
  const auto now = static_cast<double>(std::max<std::int64_t>(ns, 1));
  // At least 1: a thread may see another one's time before its bytes.
  const auto bytes_of_fastest = static_cast<double>(std::max<std::int64_t>(fastest_bytes_, 1));
  const auto fastest = static_cast<double>(fastest_ns_);
  const bool is_first = fastest == 0;
  const double larger = is_first ? 1 : std::max(1.0, static_cast<double>(more) / bytes_of_fastest);
  if (!is_first && now >= disturbed * fastest * larger) return;
  const bool is_as_large = static_cast<double>(more) >= bytes_of_fastest;
  if (is_as_large && disturbed * now <= fastest) timed_bytes = timed_ns = 0;
  if (is_first || (is_as_large && now < fastest * larger)) {
    fastest_bytes_ = more;
    fastest_ns_ = static_cast<std::int64_t>(now);
  }
  timed_bytes += static_cast<std::uint64_t>(more);
  timed_ns += static_cast<std::uint64_t>(now);
}

void begin_to_choose() {
  const auto all_of = [](Way way) {
    const Settings& the = settings();
    if (is_to_file(way)) return the.files == FileEngine::on;
    if (way == Way::calls) return the.messages == MessageEngine::calls;
    return way != Way::packs && (the.messages == MessageEngine::on || the.messages == MessageEngine::pipeline);
  };
  for (std::size_t way = 0; way < way_count; ++way) engine_does_all[way] = all_of(static_cast<Way>(way));
}

float SharedLayout::ns_saved_of_a_kib() const {
  // The bytes are read once: another thread may set them to 0.
  const auto ns_of_a_kib = [](const MessageCalls& calls) -> float {
    const std::uint64_t bytes = calls.timed_bytes;
    return bytes == 0 ? -1 : 1024 * static_cast<float>(calls.timed_ns) / static_cast<float>(bytes);
  };
  float most = -1;
  for (const MessageAccount* account : {&sent, &received}) {
    const float host = ns_of_a_kib(account->by_host), engine = ns_of_a_kib(account->by_engine);
    if (host >= 0 && engine >= 0) most = std::max({most, host - engine, 0.0F});
  }
  return most >= 0 ? most : priors::ns_saved_of_a_kib(plan.mean_block());
}

Layouts::Code::Code(std::vector<std::int64_t> of_type)
    : numbers(std::move(of_type)), hash(XXH3_64bits(numbers.data(), numbers.size() * sizeof numbers[0])) {}

std::shared_ptr<const SharedLayout> Layouts::find(const Code& code) const {
  const std::lock_guard lock(mutex_);
  const auto seen = by_code_.find(code);
  return seen == by_code_.end() ? nullptr : seen->second.lock();
}

std::shared_ptr<const SharedLayout> Layouts::share(Code code, Pieces pieces, std::int64_t extent,
                                                   const datatype::CompileOptions& options) {
  const std::uint64_t form = hash_of_pieces(pieces), hash = form ^ static_cast<std::uint64_t>(extent);
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const SharedLayout> layout;
  const auto [first, end] = by_pieces_.equal_range(hash);
  for (auto at = first; at != end; ++at)
    if (const datatype::Plan& plan = at->second->plan; plan.extent() == extent && plan.pieces() == pieces)
      layout = at->second;
  if (!layout) {
    if (left_[hash % left_.size()] == hash) keep_more();
    // Not by make_shared(): the codes' weak pointers would keep its memory.
    layout.reset(new SharedLayout(std::move(pieces), extent, form, options));
    by_pieces_.emplace(hash, layout);
    by_age_.push_back({hash, layout.get()});
    pieces_ += piece_count(layout->plan.pieces());
    drop_oldest_unused();
  }
  remember(std::move(code), layout);
  return layout;
}

void Layouts::remember(Code code, const std::shared_ptr<const SharedLayout>& layout) {
  const std::size_t numbers = code.numbers.size();
  if (numbers > most_.numbers) return;
  if (numbers_ + numbers > most_.numbers) {
    by_code_.clear();
    numbers_ = 0;
  }
  if (by_code_.insert_or_assign(std::move(code), layout).second) numbers_ += numbers;
}

std::size_t Layouts::limit(std::size_t most, std::size_t at_first) const {
  return std::max(most >> halvings_, std::min(most, at_first));
}

bool Layouts::are_too_many() const {
  return by_age_.size() > limit(most_.layouts, 64) || pieces_ > limit(most_.pieces, 8 * 1024);
}

void Layouts::keep_more() { halvings_ = std::max(halvings_ - 1, 0); }

// One by one, as new layouts come: to describe each for the report takes a microsecond.
void Layouts::drop_oldest_unused() {
  constexpr int most_in_use = 16;  // seen in vain; then the next new layout goes on
  int in_use = 0;
  while (in_use < most_in_use && are_too_many()) {
    const Aged oldest = by_age_.front();
    by_age_.pop_front();
    const auto [first, end] = by_pieces_.equal_range(oldest.hash);
    const auto at = std::find_if(first, end, [&](const auto& entry) { return entry.second.get() == oldest.layout; });
    if (at->second.use_count() > 1) {
      by_age_.push_back(oldest);
      ++in_use;
      continue;
    }
    farewell_(*oldest.layout);
    pieces_ -= piece_count(oldest.layout->plan.pieces());
    left_[oldest.hash % left_.size()] = oldest.hash;
    by_pieces_.erase(at);
  }
  if (in_use == most_in_use) keep_more();
}

void Layouts::for_each(const std::function<void(const SharedLayout&)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, layout] : by_pieces_) visit(*layout);
}

std::size_t Layouts::size() const {
  const std::lock_guard lock(mutex_);
  return by_pieces_.size();
}

}  // namespace marshal
