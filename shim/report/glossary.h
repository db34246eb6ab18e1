// The words of a report, for readers who meet them for the first time; marshal(7) has the same, at more length.
#pragma once

#include <span>
#include <string_view>

namespace marshal::report {

struct Word {
  std::string_view word, meaning;
};

// In the order of the alphabet.
std::span<const Word> glossary();

}  // namespace marshal::report
