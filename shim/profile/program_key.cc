#include "profile/program_key.h"

#include <xxhash.h>

#include <cstdio>

#include "base/elf_file.h"

namespace marshal::profile {
namespace {

std::string hash_of_text(const std::string& text) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return digits;
}

}  // namespace

ProgramKey key_of_program(const ProgramFacts& facts, const std::string& executable, const std::string& directory) {
  std::string words;
  for (std::size_t i = 1; i < facts.arguments.size(); ++i) words += (i == 1 ? "" : " ") + facts.arguments[i];
  const auto file = ElfFile::open(executable);
  return {{facts.name, file ? file->build_id() : std::string(), hash_of_text(words), words.substr(0, 160)},
          hash_of_text(directory)};
}

}  // namespace marshal::profile
