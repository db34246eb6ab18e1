// The texts of Job::messages, which say who packs datatypes in messages.
#pragma once

#include <string_view>

namespace marshal::report {

inline constexpr std::string_view in_pipeline = "engine", at_calls = "calls: ";

// Why Marshal's engine packs them at the calls; empty where it does not.
constexpr std::string_view why_at_calls(std::string_view way) {
  return way.starts_with(at_calls) ? way.substr(at_calls.size()) : std::string_view{};
}

// Why they are left to the MPI library; empty where they are not, and where that is unknown.
constexpr std::string_view why_left_to_host(std::string_view way) {
  return way == in_pipeline || way.starts_with(at_calls) ? std::string_view{} : way;
}

}  // namespace marshal::report
