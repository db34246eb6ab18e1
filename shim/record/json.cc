#include "record/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/immortal.h"
#include "base/printable_text.h"

namespace marshal::report {
namespace {

// The deepest nesting that is read; a report nests to 8.
constexpr std::size_t deepest_nesting = 64;

// Builds the value from the parser's events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::size_t most_values) : values_left_(most_values) {}

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool key(std::string& name) override {
    name_ = std::move(name);
    return true;
  }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

  Json& result() { return result_; }
  // Why it stopped before the text's end; empty if the text is not JSON.
  std::string_view why_not() const {
    if (too_deep_) return "it is nested too deep";
    return values_left_ == 0 ? "it is too large" : "";
  }

 private:
  // An open value is the last of its parent, which gets no other one meanwhile: so it stays where it is.
  bool open(Json empty) {
    too_deep_ = open_.size() == deepest_nesting;
    if (too_deep_ || !put(std::move(empty))) return false;
    open_.push_back(last_);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool put(Json value) {
    if (values_left_ == 0) return false;
    --values_left_;
    if (open_.empty())
      last_ = &(result_ = std::move(value));
    else if (open_.back()->get<Json::Object>() != nullptr)
      last_ = &open_.back()->add(std::move(name_), std::move(value));
    else
      last_ = &open_.back()->push_back(std::move(value));
    return true;
  }

  bool too_deep_ = false;
  std::size_t values_left_;
  std::string name_;  // of the member that comes next
  std::vector<Json*> open_;
  Json* last_ = nullptr;
  Json result_;
};

nlohmann::json converted(const Json& value) {
  if (const auto* truth = value.get<bool>()) return *truth;
  if (const auto* whole = value.get<std::int64_t>()) return *whole;
  if (const auto* count = value.get<std::uint64_t>()) return *count;
  if (const auto* number = value.get<double>()) return *number;
  if (const auto* text = value.get<std::string>()) return *text;
  if (const auto* elements = value.get<Json::Array>()) {
    auto array = nlohmann::json::array();
    for (const Json& element : *elements) array.push_back(converted(element));
    return array;
  }
  if (const auto* members = value.get<Json::Object>()) {
    auto object = nlohmann::json::object();
    for (const auto& [name, member] : *members) object[name] = converted(member);
    return object;
  }
  return nullptr;
}

// Text and numbers are written by the library, structure here.
class Writer {
 public:
  // Blanks a level, nothing on lines of its own if negative. With `rows`, arrays of numbers, and of arrays of numbers,
  // stand in one line: pictures of grids are thousands of them.
  Writer(int indent, bool rows) : indent_(indent), rows_(rows) {}

  void write(const Json& value, int depth) {
    const auto* members = value.get<Json::Object>();
    if (members == nullptr && value.get<Json::Array>() == nullptr) {
      text_ += plain_json(converted(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    const bool one_line = indent_ < 0 ||
                          (members == nullptr && (value.elements().empty() || (rows_ && numbers_only(value)))) ||
                          (members != nullptr && members->empty());
    const std::string line_end = one_line ? "" : "\n" + std::string(static_cast<std::size_t>(indent_ * depth), ' ');
    std::string separator = line_end;
    text_ += members != nullptr ? '{' : '[';
    for (const auto& [name, member] : value.members()) {
      text_ += separator;
      write(name, depth);
      text_ += indent_ < 0 ? ":" : ": ";
      write(member, depth + 1);
      separator = "," + line_end;
    }
    for (const Json& element : value.elements()) {
      text_ += separator;
      write(element, depth + 1);
      separator = "," + line_end;
    }
    if (!one_line) text_ += line_end.substr(0, line_end.size() - static_cast<std::size_t>(indent_));
    text_ += members != nullptr ? '}' : ']';
  }
  std::string text() { return std::move(text_); }

 private:
  static bool numbers_only(const Json& array) {
    return std::ranges::all_of(array.elements(), [](const Json& element) {
      return element.is_number() || (element.get<Json::Array>() != nullptr && numbers_only(element));
    });
  }

  int indent_;
  bool rows_;
  std::string text_;
};

// One kind of input for both, so that the parser is compiled once.
std::optional<Json> parsed(std::string_view input, nlohmann::json::input_format_t format, std::string* why_not,
                           std::size_t most_values) {
  Builder builder(most_values);
  const char* begin = input.data();
  if (nlohmann::json::sax_parse(begin, begin + input.size(), &builder, format)) return std::move(builder.result());
  if (why_not != nullptr)
    *why_not = builder.why_not().empty() ? "it is not JSON"
                                         : "it is not a report of Marshal: " + std::string(builder.why_not());
  return std::nullopt;
}

}  // namespace

// By way of the assignment: where memory runs out in the copy of a variant like this one, libstdc++ 12 ends a value
// that is not there.
Json::Json(const Json& other) { *this = other; }
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::object(std::initializer_list<Member> members) {
  Json object;
  object.value_ = Object(members);
  return object;
}

std::optional<std::int64_t> Json::whole() const {
  if (const auto* value = get<std::int64_t>()) return *value;
  const auto* value = get<std::uint64_t>();
  if (value != nullptr && std::in_range<std::int64_t>(*value)) return static_cast<std::int64_t>(*value);
  return std::nullopt;
}

std::optional<std::uint64_t> Json::count() const {
  if (const auto* value = get<std::uint64_t>()) return *value;
  const auto* value = get<std::int64_t>();
  if (value != nullptr && *value >= 0) return static_cast<std::uint64_t>(*value);
  return std::nullopt;
}

std::optional<double> Json::number() const {
  if (const auto* value = get<double>()) return *value;
  if (const auto* value = get<std::uint64_t>()) return static_cast<double>(*value);
  if (const auto* value = get<std::int64_t>()) return static_cast<double>(*value);
  return std::nullopt;
}

std::string Json::text() const {
  const auto* value = get<std::string>();
  return value == nullptr ? std::string() : *value;
}

const Json& Json::operator[](std::string_view name) const {
  static const Immortal<Json> none;
  const Json* found = find(name);
  return found == nullptr ? *none : *found;
}

const Json::Array& Json::elements() const {
  static const Immortal<Array> none;
  const auto* array = get<Array>();
  return array == nullptr ? *none : *array;
}

const Json::Object& Json::members() const {
  static const Immortal<Object> none;
  const auto* object = get<Object>();
  return object == nullptr ? *none : *object;
}

const Json* Json::find(std::string_view name) const {
  const auto found = std::ranges::find(members(), name, &Member::first);
  return found == members().end() ? nullptr : &found->second;
}

Json& Json::add(std::string name, Json value) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Object{};
  return std::get<Object>(value_).emplace_back(std::move(name), std::move(value)).second;
}

Json& Json::push_back(Json value) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Array{};
  return std::get<Array>(value_).emplace_back(std::move(value));
}

std::string json_text(const Json& value, int indent) {
  Writer writer(indent, false);
  writer.write(value, 1);
  return writer.text();
}

std::string json_text_of_rows(const Json& value) {
  Writer writer(1, true);
  writer.write(value, 1);
  return writer.text();
}

std::optional<Json> parse_json(std::string_view text, std::string* why_not, std::size_t most_values) {
  return parsed(text, nlohmann::json::input_format_t::json, why_not, most_values);
}

std::vector<std::uint8_t> to_cbor(const Json& value) { return nlohmann::json::to_cbor(converted(value)); }

std::optional<Json> parse_cbor(std::span<const std::uint8_t> bytes) {
  return parsed({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, nlohmann::json::input_format_t::cbor,
                nullptr, SIZE_MAX);
}

}  // namespace marshal::report
