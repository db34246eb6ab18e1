#include "record/function_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace marshal::report {
namespace {

constexpr std::string_view anonymous_namespace = "(anonymous namespace)";

// Removes angle brackets with their contents, and round ones except the anonymous namespace.
std::string without_arguments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(anonymous_namespace)) {
      out += anonymous_namespace;
      i += anonymous_namespace.size() - 1;
      continue;
    }
    const char open = text[i], close = open == '(' ? ')' : '>';
    const bool is_operator = out.ends_with("operator") || (open == '<' && out.ends_with("operator<"));
    if ((open != '(' && open != '<') || is_operator) {
      out.push_back(open);
      continue;
    }
    std::size_t depth = 0;
    do {
      depth += text[i] == open ? 1 : 0;
      depth -= text[i] == close ? 1 : 0;
    } while (depth > 0 && ++i < text.size());
    if (open == '<') out += "<...>";
    if (open == '(') break;  // a qualifier such as const follows
  }
  return out;
}

// A template's name has its result in front: the last blank outside the anonymous namespace ends it.
std::string without_result(const std::string& text) {
  const auto anonymous = text.rfind(anonymous_namespace);
  const auto blank = text.rfind(' ', anonymous == std::string::npos ? std::string::npos : anonymous);
  const bool is_operator = text.find("operator") != std::string::npos;
  return blank == std::string::npos || is_operator ? text : text.substr(blank + 1);
}

}  // namespace

std::string function_name(const std::string& symbol) {
  constexpr std::string_view of_module = "_MOD_";
  if (const auto at = symbol.find(of_module); symbol.starts_with("__") && at != std::string::npos)
    return symbol.substr(2, at - 2) + "::" + symbol.substr(at + of_module.size());
  if (!symbol.starts_with("_Z")) return symbol;
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? without_result(without_arguments(plain.get())) : symbol;
}

}  // namespace marshal::report
