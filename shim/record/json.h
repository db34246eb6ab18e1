// A JSON value as plain data. Only json.cc knows the library that reads and writes the text, as its header is among the
// heaviest.
//
// Reading never throws: a missing member is null, and a value of another kind gives nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace marshal::report {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in the order in which members were added

  Json() = default;
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();
  Json(bool value) : value_(value) {}
  template <std::signed_integral T>
  Json(T value) : value_(std::int64_t{value}) {}
  template <std::unsigned_integral T>
  Json(T value) : value_(std::uint64_t{value}) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  template <typename T>
  Json(const std::vector<T>& values) : value_(Array(values.begin(), values.end())) {}
  Json(Array values) : value_(std::move(values)) {}

  static Json array() { return Array{}; }
  static Json object(std::initializer_list<Member> members = {});

  // The kind of value that it is, or null.
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  bool is_number() const { return whole().has_value() || get<std::uint64_t>() != nullptr || get<double>() != nullptr; }
  // A number that fits, from any of the three kinds of number.
  std::optional<std::int64_t> whole() const;
  std::optional<std::uint64_t> count() const;
  std::optional<double> number() const;
  std::string text() const;  // empty if it is none
  // Members of an object, elements of an array; a null if there is none.
  const Json& operator[](std::string_view name) const;
  const Array& elements() const;
  const Object& members() const;
  const Json* find(std::string_view name) const;

  // Adds a member, which must not be there yet, or an element, and returns it. A null becomes an object or an array.
  Json& add(std::string name, Json value);
  Json& push_back(Json value);

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

// Bytes that are no UTF-8 are replaced, and characters that a terminal would obey are written as \u009b. Numbers that
// JSON cannot hold, infinity and such, are null.
std::string json_text(const Json& value, int indent);
// Objects indented by one blank a level; arrays of numbers, and of arrays of numbers, in one line.
std::string json_text_of_rows(const Json& value);
// Nothing, with the reason, if the text is not JSON, is nested deeper than 64 or has more values than `most_values`. A
// value takes some 100 bytes of memory.
std::optional<Json> parse_json(std::string_view text, std::string* why_not = nullptr,
                               std::size_t most_values = SIZE_MAX);

std::vector<std::uint8_t> to_cbor(const Json& value);
std::optional<Json> parse_cbor(std::span<const std::uint8_t> bytes);

}  // namespace marshal::report
