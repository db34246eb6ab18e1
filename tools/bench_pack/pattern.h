// An extended regular expression, as of regcomp(3).
#pragma once

#include <regex.h>

#include <string>

namespace marshal::bench {

class Pattern {
 public:
  explicit Pattern(const std::string& text)
      : valid_(regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0) {}
  ~Pattern() {
    if (valid_) regfree(&compiled_);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool valid() const { return valid_; }
  // True if it is found anywhere in `text`.
  bool matches(const std::string& text) const { return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t compiled_{};
  bool valid_;
};

}  // namespace marshal::bench
