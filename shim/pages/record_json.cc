#include <xxhash.h>

#include <cmath>
#include <concepts>
#include <cstring>
#include <tuple>
#include <utility>

#include "findings/findings.h"
#include "pages/pages.h"
#include "record/json.h"

namespace marshal::report {
namespace {

// The name that the key of a table's row has in the report.
constexpr const char* key_name(const CallSite*) { return "site"; }
constexpr const char* key_name(const GridKey*) { return "grid"; }
constexpr const char* key_name(const PlaceKey*) { return "place"; }
constexpr const char* key_name(const LayoutKey*) { return "layout"; }
constexpr const char* key_name(const std::string*) { return "name"; }

// Tables by node, and by pairs of numbers, have an array of numbers each row: those of its key, then its fields.
template <typename Key, typename Row>
auto numbers_of(Key& key, Row& row) {
  if constexpr (std::is_integral_v<Key>)
    return std::tuple_cat(std::tie(key), row.fields());
  else
    return std::tuple_cat(std::tie(key.first, key.second), row.fields());
}

template <typename T>
concept HasFields = requires {
  T::field_names;
};

// Members of a class, as each calls the others.
struct Writing {
  template <typename T>
  requires std::constructible_from<Json, T>
  static Json written(const T& value) { return value; }
  static Json written(double value) { return std::isfinite(value) ? value : 0.0; }
  template <typename T>
  static Json written(const std::optional<T>& value) {
    return value ? written(*value) : Json();
  }
  static Json written(const RankSet& set) { return written(set.intervals()); }
  template <typename A, typename B>
  static Json written(const std::pair<A, B>& value) {
    return Json::Array{written(value.first), written(value.second)};
  }
  template <typename T>
  static Json written(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push_back(written(value));
    return array;
  }
  static Json written(const std::set<std::string>& values) { return std::vector(values.begin(), values.end()); }
  template <typename T>
  static Json written(const std::map<std::string, T>& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object.add(name, written(value));
    return object;
  }
  template <typename Key, typename Row>
  static Json written(const std::map<Key, Row>& table) {
    Json array = Json::array();
    for (const auto& [key, row] : table)
      array.push_back(std::apply([](auto... number) { return Json::Array{number...}; }, numbers_of(key, row)));
    return array;
  }
  // A frame of Python has a function and a line besides.
  static Json written(const Frame& frame) {
    Json object = Json::object({{"module", frame.module}, {"offset", frame.offset}});
    if (!frame.is_python()) return object;
    object.add("function", frame.function);
    object.add("line", frame.line);
    return object;
  }
  template <HasFields T>
  static Json written(const T& value) {
    Json object = Json::object();
    add_fields(object, value);
    return object;
  }
  template <typename Key, typename Row, std::size_t limit>
  static Json written(const BoundedTable<Key, Row, limit>& table) {
    Json rows = Json::array();
    table.each([&](const Key& key, const Row& row) {
      Json object = Json::object({{key_name(&key), written(key)}});
      add_fields(object, row);
      rows.push_back(std::move(object));
    });
    Json object = Json::object({{"rows", std::move(rows)}});
    if (table.overflowed()) object.add("others", written(table.others()));
    return object;
  }
  template <typename T>
  static void add_fields(Json& object, const T& value) {
    each_field(value,
               [&](std::string_view name, const auto& member) { object.add(std::string(name), written(member)); });
  }
};

struct Malformed {
  std::string what;
};

// Each `read` throws Malformed with the place.
struct Reading {
  template <typename T>
  static const T& as(const Json& json, const char* otherwise) {
    const T* value = json.get<T>();
    if (value == nullptr) throw Malformed{otherwise};
    return *value;
  }
  static const Json::Array& array(const Json& json) { return as<Json::Array>(json, "is not an array"); }
  template <typename T>
  static T number(const std::optional<T>& value, const char* otherwise) {
    if (!value) throw Malformed{otherwise};
    return *value;
  }

  static void read(const Json& json, bool& value) { value = as<bool>(json, "is not true or false"); }
  static void read(const Json& json, std::string& value) { value = as<std::string>(json, "is not a text"); }
  static void read(const Json& json, std::uint64_t& value) {
    value = number(json.count(), "is not a whole number of 0 or more");
  }
  static void read(const Json& json, std::int64_t& value) { value = number(json.whole(), "is not a whole number"); }
  static void read(const Json& json, double& value) { value = number(json.number(), "is not a number"); }
  template <typename T>
  static void read(const Json& json, std::optional<T>& value) {
    if (!json.get<std::monostate>()) read(json, value.emplace());
  }
  template <typename A, typename B>
  static void read(const Json& json, std::pair<A, B>& value) {
    if (json.elements().size() != 2) throw Malformed{"is not a pair"};
    read(json.elements()[0], value.first);
    read(json.elements()[1], value.second);
  }
  template <typename T>
  static void read(const Json& json, std::vector<T>& values) {
    for (const Json& element : array(json)) read(element, values.emplace_back());
  }
  static void read(const Json& json, std::set<std::string>& values) {
    for (const Json& element : array(json)) {
      std::string value;
      read(element, value);
      values.insert(std::move(value));
    }
  }
  static void read(const Json& json, RankSet& set) {
    std::vector<RankSet::Interval> intervals;
    read(json, intervals);
    set = RankSet::from_intervals(std::move(intervals));
  }
  template <typename T>
  static void read(const Json& json, std::map<std::string, T>& values) {
    for (const auto& [name, element] : as<Json::Object>(json, "is not an object")) read(element, values[name]);
  }
  template <typename Key, typename Row>
  static void read(const Json& json, std::map<Key, Row>& table) {
    for (const Json& element : array(json)) {
      Key key{};
      Row row{};
      const auto numbers = numbers_of(key, row);
      if (element.elements().size() != std::tuple_size_v<decltype(numbers)>)
        throw Malformed{"has a row that is too short or too long"};
      auto next = element.elements().begin();
      std::apply([&](auto&... number) { (read(*next++, number), ...); }, numbers);
      table[key] = row;
    }
  }
  template <typename T>
  static void read_member(const Json& json, std::string_view name, T& member) {
    const std::string place = "." + std::string(name);
    const Json* found = json.find(name);
    if (found == nullptr && std::is_same_v<T, CoreUses>) return;  // earlier reports have none
    if (found == nullptr) throw Malformed{place + " is missing"};
    try {
      read(*found, member);
    } catch (const Malformed& inner) {
      throw Malformed{place + (inner.what[0] == '.' ? "" : " ") + inner.what};
    }
  }
  static void read(const Json& json, Frame& frame) {
    read_member(json, "module", frame.module);
    read_member(json, "offset", frame.offset);
    if (json.find("line") == nullptr) return;
    read_member(json, "function", frame.function);
    read_member(json, "line", frame.line);
  }
  template <HasFields T>
  static void read(const Json& json, T& value) {
    as<Json::Object>(json, "is not an object");
    each_field(value, [&](std::string_view name, auto& member) { read_member(json, name, member); });
  }
  template <typename Key, typename Row, std::size_t limit>
  static void read(const Json& json, BoundedTable<Key, Row, limit>& table) {
    for (const Json& element : as<Json::Array>(json["rows"], "has no rows")) {
      Key key{};
      Row row{};
      read(element, row);
      const Json* found = element.find(key_name(&key));
      if (found == nullptr) throw Malformed{std::string("has a row without ") + key_name(&key)};
      read(*found, key);
      table[key].merge(row);
    }
    if (const Json* others = json.find("others")) {
      Row row{};
      read(*others, row);
      table.fold(row);
    }
  }
};

constexpr std::string_view report_schema = "marshal-report", summary_schema = "marshal-summary";

template <class Contents>
Json document(std::string_view schema, int version, const Contents& contents) {
  Json json = Json::object({{"schema", schema}, {"schema_version", version}});
  Writing::add_fields(json, contents);
  return json;
}
Json document(const Record& record) { return document(report_schema, version_of_schema, record); }

template <class Contents>
std::optional<Contents> contents_of(const Json& json, int readable_version, std::string& why_not) {
  const std::optional<std::int64_t> version = json["schema_version"].whole();
  if (version != readable_version) {
    why_not = "its schema version is " + (version ? std::to_string(*version) : "no number") +
              ", and this Marshal reads version " + std::to_string(readable_version);
    return std::nullopt;
  }
  try {
    Contents contents;
    Reading::read(json, contents);
    return contents;
  } catch (const Malformed& malformed) {
    why_not = "its " + malformed.what.substr(malformed.what[0] == '.' ? 1 : 0);
    return std::nullopt;
  }
}

std::optional<Record> record_of(const Json& json, std::string& why_not) {
  const std::string schema = json["schema"].text();
  if (schema == report_schema) return contents_of<Record>(json, version_of_schema, why_not);
  why_not = schema == summary_schema ? "it is the summary of a run, which `marshal jobs` reads"
                                     : "it is not a report of Marshal";
  return std::nullopt;
}

// A file may hold anything: what is read takes half a GiB at most.
constexpr std::size_t most_values_read = 4000000;

struct Envelope {
  std::uint64_t length, checksum;
};

}  // namespace

std::string to_json(const Record& record) {
  Json json = document(record);
  Json list = Json::array();
  for (const Finding& finding : findings(record))
    list.push_back(Json::object({{"verdict", verdict_name(finding.verdict)},
                                 {"subject", finding.subject},
                                 {"what", finding.what},
                                 {"evidence", finding.evidence},
                                 {"action", finding.action},
                                 {"most_seconds", finding.most_seconds}}));
  json.add("findings", std::move(list));
  return json_text_of_rows(json) + "\n";
}

std::optional<Record> from_json(std::string_view text, std::string& why_not) {
  const std::optional<Json> json = parse_json(text, &why_not, most_values_read);
  return json ? record_of(*json, why_not) : std::nullopt;
}

std::string to_json(const Summary& summary) {
  for (std::size_t most = 512;; most /= 2) {
    const Summary cut = with_texts_cut(summary, most);
    std::string text = json_text(document(summary_schema, version_of_summary_schema, cut), 1) + "\n";
    if (text.size() <= most_summary_bytes || most == 0) return text;
  }
}

std::optional<Summary> summary_from_json(std::string_view text, std::string& why_not) {
  const std::optional<Json> json = parse_json(text, &why_not, most_values_read);
  if (!json) return std::nullopt;
  if ((*json)["schema"].text() == summary_schema)
    return contents_of<Summary>(*json, version_of_summary_schema, why_not);
  const std::optional<Record> record = record_of(*json, why_not);
  return record ? std::optional(summary_of(*record, {})) : std::nullopt;
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
