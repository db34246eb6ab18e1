#include "types/packing_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "datatype/layout_text.h"

namespace marshal {
namespace {

using datatype::Plan;

std::uint64_t unsigned_of(std::int64_t n) { return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)); }

// All work, and the part of it that was timed.
report::PackWork work_of(const PackAccount& work, std::uint64_t touched_bytes_each, std::uint64_t size) {
  const PackCalls &engine = work.by_engine, &host = work.by_host;
  report::PackWork w;
  w.calls = engine.calls + host.calls;
  w.bytes = engine.bytes + host.bytes;
  w.engine_bytes = engine.bytes;
  w.timed_bytes = engine.timed_bytes;
  w.timed_ns = engine.timed_ns;
  w.host_bytes = host.timed_bytes;
  w.host_ns = host.timed_ns;
  if (size > 0) w.touched_bytes = w.bytes / size * touched_bytes_each;
  return w;
}

report::MessageWork messages_of(const MessageAccount& account) {
  const MessageCalls &engine = account.by_engine, &host = account.by_host;
  report::MessageWork w;
  w.messages = engine.messages + host.messages;
  w.fragments = engine.calls + host.calls;
  w.bytes = engine.bytes + host.bytes;
  w.engine_messages = engine.messages;
  w.engine_fragments = engine.calls;
  w.engine_bytes = engine.bytes;
  w.timed_bytes = engine.timed_bytes;
  w.timed_ns = engine.timed_ns;
  w.host_bytes = host.timed_bytes;
  w.host_ns = host.timed_ns;
  return w;
}

// Types that nobody packed by MPI_Pack. If such a type was in no message either, it need not have lain idle: hosts move
// some types by ways that Marshal does not see, as one-sided accesses to memory of the same node.
constexpr const char* in_messages_only = "in messages only";
const char* unused_text() {
  return messages_are_seen ? "no use seen" : "not packed by MPI_Pack; messages were not looked at";
}

// The bound is the bandwidth of a copy that touches only as many cache lines, for packs of `count` instances. One
// instance touches `lines_of_one`.
void add_bound(const Plan& plan, std::int64_t count, std::int64_t lines_of_one, PackedShares& shares) {
  constexpr std::int64_t most_blocks = 4096;
  const std::int64_t blocks = std::max<std::int64_t>(plan.blocks(), 1);
  const std::int64_t some = std::clamp<std::int64_t>(most_blocks / blocks, 1, count);
  const std::int64_t lines_of_some =
      some == 1 ? lines_of_one : datatype::touched_lines(plan.pieces(), plan.extent(), some);
  const double lines = static_cast<double>(lines_of_some) * static_cast<double>(count) / static_cast<double>(some);
  const double packed = static_cast<double>(plan.size()) * static_cast<double>(count);
  const double copied = (64 * lines + packed) / 2;
  shares.add(packed, copied);
}

constexpr std::string_view left_to_host = "left to the MPI library: ";

report::LayoutKey key_of_kind(const TypeKind& kind) {
  return {fmt::format("{}: {} B in {} B", kind.combiner, kind.size, kind.extent), 0};
}

// (displacement, length) of the first blocks in pack order.
void add_first_blocks(const datatype::Pieces& pieces, std::int64_t origin,
                      std::vector<std::pair<std::int64_t, std::uint64_t>>& blocks) {
  for (const datatype::Piece& p : pieces)
    for (std::int64_t i = 0; i < p.count; ++i) {
      if (blocks.size() == report::most_picture_blocks) return;
      const std::int64_t at = origin + p.disp + i * p.stride;
      if (p.body.empty())
        blocks.emplace_back(at, unsigned_of(p.length));
      else
        add_first_blocks(p.body, at, blocks);
    }
}

// To pack and to unpack.
void put_calls(const PackCalls (&done)[2], report::DatatypeLayout& row) {
  row.pack.calls = done[0].calls, row.pack.bytes = done[0].bytes;
  row.unpack.calls = done[1].calls, row.unpack.bytes = done[1].bytes;
}

}  // namespace

void add_layout(const SharedLayout& layout, LayoutRows& rows, PackingBounds& bounds) {
  const Plan& plan = layout.plan;
  const bool has_row = !rows.is_full_for(layout.hash_of_form);
  const report::LayoutKey key{has_row ? datatype::layout_text(plan.pieces()) : std::string(), layout.hash_of_form};
  report::DatatypeLayout row;
  row.size = unsigned_of(plan.size());
  row.lower_bound = plan.touched().first;
  row.extent = plan.extent();
  row.blocks = unsigned_of(plan.blocks());
  row.commits = layout.types;
  row.site = call_site_of(layout.committed_at);
  const std::uint64_t calls = layout.packed.begun() + layout.unpacked.begun();
  const std::int64_t lines = has_row && calls > 0 ? datatype::touched_lines(plan.pieces()) : 0;
  row.pack = work_of(layout.packed, unsigned_of(lines) * 64, row.size);
  row.unpack = work_of(layout.unpacked, unsigned_of(lines) * 64, row.size);
  row.sent = messages_of(layout.sent);
  row.received = messages_of(layout.received);
  if (calls > 0 && row.size > 0) {
    const auto count =
        static_cast<std::int64_t>(std::max<std::uint64_t>((row.pack.bytes + row.unpack.bytes) / calls / row.size, 1));
    const std::uint64_t by_host = layout.packed.by_host.calls + layout.unpacked.by_host.calls;
    const datatype::Program& program = plan.program(count);
    if (calls > by_host) row.plans[datatype::program_text(program, count)] = calls - by_host;
    if (by_host > 0) row.plans[std::string(left_to_host) + "as fast or faster"] = by_host;
    row.segment = unsigned_of(datatype::segment_of(program, count));
    if (has_row) {
      row.set_bound(0);
      add_bound(plan, count, lines, bounds[key]);
    }
  } else {
    row.plans[row.sent.messages + row.received.messages != 0 ? in_messages_only : unused_text()] = row.commits;
  }
  report::DatatypeLayout& into = rows[key];
  if (row.may_be_shown_for(into)) {
    row.picture.reserve(std::min<std::size_t>(row.blocks, report::most_picture_blocks));
    add_first_blocks(plan.pieces(), 0, row.picture);
  }
  into.merge(row);
}

void add_passed_on(const Datatype& type, LayoutRows& rows) {
  if (type.why_not == nullptr || !type.kind) return;
  report::DatatypeLayout row;
  row.commits = type.kind->combiner == "named" ? 0 : 1;
  row.size = unsigned_of(type.kind->size);
  row.extent = type.kind->extent;
  row.site = call_site_of(type.committed_at);
  put_calls(type.without_layout, row);
  row.plans[std::string(left_to_host) + type.why_not] = row.pack.calls + row.unpack.calls;
  rows[key_of_kind(*type.kind)].merge(row);
}

void BriefTypes::add(const Datatype& type) {
  types += 1;
  for (const int unpack : {0, 1}) by_engine[unpack].add_calls(type.without_layout[unpack]);
}

void BriefTypes::add(const BriefTypes& others) {
  types += others.types;
  for (const int unpack : {0, 1}) by_engine[unpack].add_calls(others.by_engine[unpack]);
}

void add_brief(const BriefTypes& brief, LayoutRows& rows) {
  report::DatatypeLayout row;
  row.commits = brief.types;
  put_calls(brief.by_engine, row);
  row.pack.engine_bytes = row.pack.bytes, row.unpack.engine_bytes = row.unpack.bytes;
  row.plans["first programs"] = row.pack.calls + row.unpack.calls;
  rows[report::LayoutKey{"types that live briefly", 0}].merge(row);
}

void add_unread(const PackCalls (&unread)[2], const char* why_off, LayoutRows& rows) {
  report::DatatypeLayout row;
  put_calls(unread, row);
  row.plans[std::string(left_to_host) + (why_off != nullptr ? why_off : "rarely packed")] =
      row.pack.calls + row.unpack.calls;
  rows[report::LayoutKey{why_off != nullptr ? "all types packed" : "types that are rarely packed", 0}].merge(row);
}

void add_others(std::uint64_t unused, std::uint64_t all_commits, LayoutRows& rows) {
  std::uint64_t known = rows.others().commits;
  rows.each([&](const report::LayoutKey&, const report::DatatypeLayout& row) { known += row.commits; });
  const auto add = [&](const char* name, const char* plan, std::uint64_t commits) {
    if (commits == 0) return;
    report::DatatypeLayout row;
    row.commits = commits;
    row.plans[plan] = commits;
    rows[report::LayoutKey{name, 0}].merge(row);
  };
  const std::uint64_t rest = all_commits - std::min(all_commits, known);
  add("types without a use", unused_text(), std::min(unused, rest));
  add("other types", "not looked at", rest - std::min(unused, rest));
}

}  // namespace marshal
