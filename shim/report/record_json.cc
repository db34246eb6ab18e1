// One list of members per type, `fields`, serves both writing and reading.
#include "report/record_json.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "report/findings.h"
#include "report/json.h"

namespace marshal::report {
namespace {

template <typename Self, typename T>
concept ConstOrNot = std::is_same_v<std::remove_const_t<Self>, T>;

// Members of each type with their names in the report. `Self` is const when writing.
template <ConstOrNot<Spread> Self, typename F>
void fields(Self& s, F&& f) {
  f("samples", s.samples), f("sum", s.sum), f("min", s.min), f("max", s.max);
}

template <ConstOrNot<Frame> Self, typename F>
void fields(Self& s, F&& f) {
  f("module", s.module), f("offset", s.offset);
}

template <ConstOrNot<CallSite> Self, typename F>
void fields(Self& s, F&& f) {
  f("call", s.call), f("frames", s.frames);
}

template <ConstOrNot<Job> Self, typename F>
void fields(Self& s, F&& f) {
  f("program", s.program), f("path", s.path), f("arguments", s.arguments), f("job_id", s.job_id);
  f("scheduler", s.scheduler), f("host", s.host), f("started", s.started), f("marshal_version", s.marshal_version);
  f("mpi", s.mpi), f("mpi_standard", s.mpi_standard), f("thread_level", s.thread_level), f("messages", s.messages);
  f("ranks", s.ranks);
  f("nodes", s.nodes), f("ranks_per_node_min", s.ranks_per_node_min), f("ranks_per_node_max", s.ranks_per_node_max);
  f("project_ranks", s.project_ranks), f("settings", s.settings);
}

template <ConstOrNot<Memory> Self, typename F>
void fields(Self& s, F&& f) {
  f("per_process_bytes", s.per_process), f("growing_bytes", s.growing), f("at_most", s.at_most);
  f("unavailable", s.unavailable), f("not_projected", s.not_projected);
}

template <ConstOrNot<CommunicatorSite> Self, typename F>
void fields(Self& s, F&& f) {
  f("symbol", s.symbol), f("communicators", s.communicators), f("made", s.made), f("freed", s.freed),
      f("alive", s.alive);
  f("ranks", s.ranks), f("intercommunicators", s.intercommunicators);
  f("models", s.models), f("marshal", s.marshal), f("host", s.host);
  f("host_in_passing_bytes", s.host_in_passing), f("vc_vcrt", s.vc_vcrt);
  f("av_rankmap", s.av_rankmap), f("creation_ns", s.creation_ns), f("marshal_ns", s.marshal_ns);
}

template <ConstOrNot<GridKey> Self, typename F>
void fields(Self& s, F&& f) {
  f("site", s.site), f("dims", s.dims), f("periodic", s.periodic), f("mapper", s.mapper), f("moved", s.moved);
}

template <ConstOrNot<GridMetrics> Self, typename F>
void fields(Self& s, F&& f) {
  f("jsum", s.jsum), f("jmax", s.jmax), f("on_node_partners", s.on_node), f("off_node_partners", s.off_node);
  f("predicted_exchange_s", s.predicted_exchange_s), f("limited_by", s.limited_by), f("node_runs", s.node_runs);
}

template <ConstOrNot<PlacedBytes> Self, typename F>
void fields(Self& s, F&& f) {
  f("in_force", s.in_force), f("given", s.given);
}

template <ConstOrNot<CollectiveCount> Self, typename F>
void fields(Self& s, F&& f) {
  f("calls", s.all.calls), f("bytes", s.all.bytes), f("kinds", s.kinds);
}

template <ConstOrNot<Traffic> Self, typename F>
void fields(Self& s, F&& f) {
  f("processes", s.processes), f("messages", s.messages), f("bytes", s.bytes);
  f("between_nodes_bytes", s.between_nodes), f("leaving_nodes", s.leaving);
  f("foreign_messages", s.foreign_messages), f("foreign_bytes", s.foreign_bytes);
  f("lost_messages", s.lost_messages), f("collectives", s.collectives), f("file", s.file), f("profile", s.profile);
  f("nodes_a_row", s.nodes_a_row), f("heat", s.heat);
}

template <ConstOrNot<GridTraffic> Self, typename F>
void fields(Self& s, F&& f) {
  f("processes", s.processes), f("messages", s.messages), f("bytes", s.bytes);
  f("between_nodes_bytes", s.between_nodes), f("leaving_nodes", s.leaving);
  f("near", s.near), f("far", s.far), f("elsewhere", s.elsewhere);
}

template <ConstOrNot<Grid> Self, typename F>
void fields(Self& s, F&& f) {
  f("symbol", s.symbol), f("made", s.made), f("processes", s.processes), f("nodes", s.nodes);
  f("moved_ranks", s.moved_ranks), f("before", s.before), f("after", s.after), f("lower_bound", s.lower_bound);
  f("stencil", s.stencil), f("weights", s.weights), f("learned_from", s.learned_from);
  f("jsum_by_mapper", s.jsum_by_mapper);
  f("reason", s.reason), f("mapping_ns", s.mapping_ns);
  f("traffic", s.traffic);
}

template <ConstOrNot<LayoutKey> Self, typename F>
void fields(Self& s, F&& f) {
  f("form", s.form), f("hash", s.hash);
}

template <ConstOrNot<PackWork> Self, typename F>
void fields(Self& s, F&& f) {
  f("calls", s.calls), f("bytes", s.bytes), f("engine_bytes", s.engine_bytes);
  f("timed_bytes", s.timed_bytes), f("timed_ns", s.timed_ns);
  f("touched_bytes", s.touched_bytes);
  f("host_bytes", s.host_bytes), f("host_ns", s.host_ns);
}

template <ConstOrNot<MessageWork> Self, typename F>
void fields(Self& s, F&& f) {
  f("messages", s.messages), f("fragments", s.fragments), f("bytes", s.bytes);
  f("engine_messages", s.engine_messages), f("engine_fragments", s.engine_fragments);
  f("engine_bytes", s.engine_bytes), f("timed_bytes", s.timed_bytes), f("timed_ns", s.timed_ns);
  f("host_bytes", s.host_bytes), f("host_ns", s.host_ns);
}

template <ConstOrNot<DatatypeLayout> Self, typename F>
void fields(Self& s, F&& f) {
  f("site", s.site), f("symbol", s.symbol), f("size", s.size), f("lower_bound", s.lower_bound), f("extent", s.extent),
      f("blocks", s.blocks);
  f("commits", s.commits), f("plans", s.plans), f("segment", s.segment);
  f("pack", s.pack), f("unpack", s.unpack);
  f("sent", s.sent), f("received", s.received);
  f("touched_bound_bytes_per_s", s.touched_bound_bytes_per_s), f("picture", s.picture);
}

template <ConstOrNot<Finding> Self, typename F>
void fields(Self& s, F&& f) {
  const std::string verdict = verdict_name(s.verdict);
  f("verdict", verdict), f("subject", s.subject), f("what", s.what), f("evidence", s.evidence), f("action", s.action);
}

template <ConstOrNot<CallCount> Self, typename F>
void fields(Self& s, F&& f) {
  f("calls", s.calls), f("processes", s.processes);
}

template <ConstOrNot<Warning> Self, typename F>
void fields(Self& s, F&& f) {
  f("count", s.count), f("first_rank", s.first_rank);
}

template <ConstOrNot<Counter> Self, typename F>
void fields(Self& s, F&& f) {
  f("packing", s.packing), f("translation", s.translation), f("processes", s.processes),
      f("unavailable", s.unavailable);
}

template <ConstOrNot<OwnCost> Self, typename F>
void fields(Self& s, F&& f) {
  f("wall_ns", s.wall_ns), f("init_ns", s.init_ns), f("finalize_ns", s.finalize_ns);
  f("waited_ns", s.waited_ns), f("inside_ns", s.inside_ns), f("init_cpu_ns", s.init_cpu_ns);
  f("inside_cpu_ns", s.inside_cpu_ns), f("finalize_cpu_ns", s.finalize_cpu_ns);
  f("map_bytes", s.map_bytes), f("map_bytes_peak", s.map_bytes_peak), f("tables_shared", s.tables_shared);
  f("translations", s.translations), f("process_groups", s.process_groups);
}

template <ConstOrNot<Record> Self, typename F>
void fields(Self& s, F&& f) {
  f("job", s.job), f("recorded_ranks", s.ranks), f("partial_ranks", s.partial), f("bindings", s.bindings);
  f("own_cost", s.own), f("traffic", s.traffic), f("calls", s.calls), f("communicators", s.communicators),
      f("grids", s.grids);
  f("datatypes", s.datatypes), f("warnings", s.warnings), f("counters", s.counters);
}

// The name that the key of a table's row has in the report.
constexpr const char* key_name(const CallSite*) { return "site"; }
constexpr const char* key_name(const GridKey*) { return "grid"; }
constexpr const char* key_name(const LayoutKey*) { return "layout"; }
constexpr const char* key_name(const std::string*) { return "name"; }

// ---- writing

Json written(bool value) { return value; }
Json written(std::uint64_t value) { return value; }
Json written(std::int64_t value) { return value; }
Json written(double value) { return std::isfinite(value) ? value : 0.0; }
Json written(const std::string& value) { return value; }

template <typename A, typename B>
Json written(const std::pair<A, B>& value) {
  return Json::Array{written(value.first), written(value.second)};
}
template <typename T>
Json written(const std::vector<T>& values);
template <typename T>
Json written(const std::set<T>& values);
template <typename T>
Json written(const std::map<std::string, T>& values);
template <typename K, typename R, std::size_t N>
Json written(const BoundedTable<K, R, N>& table);

Json written(const RankSet& set) { return written(set.intervals()); }

// Tables by node, and by pairs of numbers: an array of numbers each row.
Json written(const BytesOfNodes& nodes) {
  Json array = Json::array();
  for (const auto& [node, bytes] : nodes)
    array.push_back(Json::Array{written(node), written(bytes.in_force), written(bytes.given)});
  return array;
}
using Heat = decltype(Traffic::heat);
Json written(const Heat& heat) {
  Json array = Json::array();
  for (const auto& [rows, bytes] : heat)
    array.push_back(
        Json::Array{written(rows.first), written(rows.second), written(bytes.in_force), written(bytes.given)});
  return array;
}

using Kinds = decltype(CollectiveCount::kinds);
Json written(const Kinds& kinds) {
  Json array = Json::array();
  for (const auto& [kind, sum] : kinds)
    array.push_back(Json::Array{written(kind.first), written(kind.second), written(sum.calls), written(sum.bytes)});
  return array;
}

template <typename T>
requires requires(const T& value) {
  fields(value, [](const char*, const auto&) {});
}
Json written(const T& value) {
  Json object = Json::object();
  fields(value, [&](const char* name, const auto& member) { object.add(name, written(member)); });
  return object;
}

template <typename T>
Json written(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(written(value));
  return array;
}
template <typename T>
Json written(const std::set<T>& values) {
  return written(std::vector<T>(values.begin(), values.end()));
}
template <typename T>
Json written(const std::map<std::string, T>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object.add(name, written(value));
  return object;
}
template <typename K, typename R, std::size_t N>
Json written(const BoundedTable<K, R, N>& table) {
  Json rows = Json::array();
  table.each([&](const K& key, const R& row) {
    Json object = Json::object();
    object.add(key_name(&key), written(key));
    fields(row, [&](const char* name, const auto& member) { object.add(name, written(member)); });
    rows.push_back(std::move(object));
  });
  Json object = Json::object();
  object.add("rows", std::move(rows));
  if (table.overflowed()) object.add("others", written(table.others()));
  return object;
}

// ---- reading: each `read` throws Malformed with the place

struct Malformed {
  std::string what;
};

void read(const Json& json, bool& value) {
  if (json.get<bool>() == nullptr) throw Malformed{"is not true or false"};
  value = *json.get<bool>();
}
void read(const Json& json, std::uint64_t& value) {
  const std::optional<std::uint64_t> count = json.count();
  if (!count) throw Malformed{"is not a whole number of 0 or more"};
  value = *count;
}
void read(const Json& json, std::int64_t& value) {
  const std::optional<std::int64_t> whole = json.whole();
  if (!whole) throw Malformed{"is not a whole number"};
  value = *whole;
}
void read(const Json& json, double& value) {
  const std::optional<double> number = json.number();
  if (!number) throw Malformed{"is not a number"};
  value = *number;
}
void read(const Json& json, std::string& value) {
  if (json.get<std::string>() == nullptr) throw Malformed{"is not a text"};
  value = *json.get<std::string>();
}
template <typename A, typename B>
void read(const Json& json, std::pair<A, B>& value) {
  if (json.elements().size() != 2) throw Malformed{"is not a pair"};
  read(json.elements()[0], value.first);
  read(json.elements()[1], value.second);
}
template <typename T>
void read(const Json& json, std::vector<T>& values);
template <typename T>
void read(const Json& json, std::set<T>& values);
template <typename T>
void read(const Json& json, std::map<std::string, T>& values);
template <typename K, typename R, std::size_t N>
void read(const Json& json, BoundedTable<K, R, N>& table);

void read(const Json& json, RankSet& set) {
  std::vector<RankSet::Interval> intervals;
  read(json, intervals);
  set = RankSet::from_intervals(std::move(intervals));
}

template <std::size_t length>
std::array<std::uint64_t, length> read_numbers(const Json& json) {
  if (json.elements().size() != length) throw Malformed{"has a row that is too short or too long"};
  std::array<std::uint64_t, length> numbers{};
  for (std::size_t i = 0; i < length; ++i) read(json.elements()[i], numbers[i]);
  return numbers;
}
void read(const Json& json, BytesOfNodes& nodes) {
  if (json.get<Json::Array>() == nullptr) throw Malformed{"is not an array"};
  nodes.clear();
  for (const Json& element : json.elements()) {
    const auto [node, in_force, given] = read_numbers<3>(element);
    nodes[node] = {in_force, given};
  }
}
void read(const Json& json, Heat& heat) {
  if (json.get<Json::Array>() == nullptr) throw Malformed{"is not an array"};
  heat.clear();
  for (const Json& element : json.elements()) {
    const auto [from, to, in_force, given] = read_numbers<4>(element);
    heat[{from, to}] = {in_force, given};
  }
}
void read(const Json& json, Kinds& kinds) {
  if (json.get<Json::Array>() == nullptr) throw Malformed{"is not an array"};
  kinds.clear();
  for (const Json& element : json.elements()) {
    const auto [processes, up_to, calls, bytes] = read_numbers<4>(element);
    kinds[{processes, up_to}] = {calls, bytes};
  }
}

template <typename T>
requires requires(T& value) {
  fields(value, [](const char*, auto&) {});
}
void read(const Json& json, T& value) {
  if (json.get<Json::Object>() == nullptr) throw Malformed{"is not an object"};
  fields(value, [&](const char* name, auto& member) {
    const Json* found = json.find(name);
    if (found == nullptr) throw Malformed{std::string(".") + name + " is missing"};
    try {
      read(*found, member);
    } catch (const Malformed& inner) {
      throw Malformed{std::string(".") + name + (inner.what[0] == '.' ? "" : " ") + inner.what};
    }
  });
}

template <typename T>
void read(const Json& json, std::vector<T>& values) {
  if (json.get<Json::Array>() == nullptr) throw Malformed{"is not an array"};
  values.clear();
  for (const Json& element : json.elements()) read(element, values.emplace_back());
}
template <typename T>
void read(const Json& json, std::set<T>& values) {
  std::vector<T> list;
  read(json, list);
  values = std::set<T>(list.begin(), list.end());
}
template <typename T>
void read(const Json& json, std::map<std::string, T>& values) {
  if (json.get<Json::Object>() == nullptr) throw Malformed{"is not an object"};
  values.clear();
  for (const auto& [name, element] : json.members()) read(element, values[name]);
}
template <typename K, typename R, std::size_t N>
void read(const Json& json, BoundedTable<K, R, N>& table) {
  if (json["rows"].get<Json::Array>() == nullptr) throw Malformed{"has no rows"};
  for (const Json& element : json["rows"].elements()) {
    K key{};
    R row{};
    read(element, row);
    const Json* found = element.find(key_name(&key));
    if (found == nullptr) throw Malformed{std::string("has a row without ") + key_name(&key)};
    read(*found, key);
    table[key].merge(row);
  }
  if (const Json* others = json.find("others")) {
    R row{};
    read(*others, row);
    table.fold(row);
  }
}

Json document(const Record& record) {
  Json json = Json::object({{"schema", "marshal-report"}, {"schema_version", version_of_schema}});
  fields(record, [&](const char* name, const auto& member) { json.add(name, written(member)); });
  return json;
}

std::optional<Record> record_of(const Json& json, std::string& why_not) {
  if (json["schema"].text() != "marshal-report") {
    why_not = "it is not a report of Marshal";
    return std::nullopt;
  }
  const Json& version = json["schema_version"];
  if (version.whole() != version_of_schema) {
    why_not = "its schema version is " + json_text(version, -1) + ", and this Marshal reads version " +
              std::to_string(version_of_schema);
    return std::nullopt;
  }
  try {
    Record record;
    read(json, record);
    return record;
  } catch (const Malformed& malformed) {
    why_not = "its " + malformed.what.substr(malformed.what[0] == '.' ? 1 : 0);
    return std::nullopt;
  }
}

struct Envelope {
  std::uint64_t length, checksum;
};

}  // namespace

std::string to_json(const Record& record) {
  Json json = document(record);
  json.add("findings", written(findings(record)));
  return json_text_of_rows(json) + "\n";
}

std::optional<Record> from_json(std::string_view text, std::string& why_not) {
  const std::optional<Json> json = parse_json(text, &why_not);
  return json ? record_of(*json, why_not) : std::nullopt;
}

std::vector<std::uint8_t> to_cbor(const Record& record) {
  const std::vector<std::uint8_t> body = to_cbor(document(record));
  const Envelope frame{body.size(), XXH3_64bits(body.data(), body.size())};
  std::vector<std::uint8_t> bytes(sizeof frame + body.size());
  std::memcpy(bytes.data(), &frame, sizeof frame);
  std::memcpy(bytes.data() + sizeof frame, body.data(), body.size());
  return bytes;
}

std::optional<Record> from_cbor(std::span<const std::uint8_t> bytes) {
  Envelope frame{};
  if (bytes.size() < sizeof frame) return std::nullopt;
  std::memcpy(&frame, bytes.data(), sizeof frame);
  const auto body = bytes.subspan(sizeof frame);
  if (frame.length != body.size() || frame.checksum != XXH3_64bits(body.data(), body.size())) return std::nullopt;
  const std::optional<Json> json = parse_cbor(body);
  std::string why_not;
  return json ? record_of(*json, why_not) : std::nullopt;
}

}  // namespace marshal::report
