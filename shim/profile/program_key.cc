#include "profile/program_key.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "profile/own_file.h"

namespace marshal::profile {
namespace {

std::string hash_of_text(const std::string& text) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return digits;
}

// False where the file ends before.
template <class Part>
bool read_part(const Descriptor& file, std::uint64_t from, Part& part) {
  return pread(*file, &part, sizeof part, static_cast<off_t>(from)) == static_cast<ssize_t>(sizeof part);
}

std::string build_id_among(std::string_view notes) {
  constexpr auto padded = [](std::size_t length) { return (length + 3) & ~std::size_t{3}; };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t id = sizeof note + padded(note.n_namesz), next = id + padded(note.n_descsz);
    if (next > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof note, note.n_namesz) == std::string_view("GNU\0", 4)) {
      std::string text;
      constexpr char digits[] = "0123456789abcdef";
      for (const char byte : notes.substr(id, std::min<std::size_t>(note.n_descsz, 32))) {
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[static_cast<unsigned char>(byte) & 15];
      }
      return text;
    }
    notes.remove_prefix(next);
  }
  return {};
}

// The linker's note of a program, in hexadecimal digits. Empty where there is none, and for what is no program of this
// machine's kind.
std::string build_id_of(const std::string& path) {
  constexpr bool is_wide = sizeof(void*) == 8, is_little = std::endian::native == std::endian::little;
  constexpr std::size_t most_bytes_of_notes = 64 << 10;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  ElfW(Ehdr) header;
  if (!file || !read_part(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != (is_wide ? ELFCLASS64 : ELFCLASS32) ||
      header.e_ident[EI_DATA] != (is_little ? ELFDATA2LSB : ELFDATA2MSB) || header.e_phentsize != sizeof(ElfW(Phdr)))
    return {};
  ElfW(Phdr) segment;
  for (std::size_t i = 0; i < header.e_phnum && read_part(file, header.e_phoff + i * sizeof segment, segment); ++i) {
    if (segment.p_type != PT_NOTE) continue;
    std::string notes(std::min<std::size_t>(segment.p_filesz, most_bytes_of_notes), '\0');
    const ssize_t bytes = pread(*file, notes.data(), notes.size(), static_cast<off_t>(segment.p_offset));
    if (std::string id = build_id_among({notes.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))});
        !id.empty())
      return id;
  }
  return {};
}

}  // namespace

ProgramKey key_of_program(const ProgramFacts& facts, const std::string& executable, const std::string& directory) {
  std::string words;
  for (std::size_t i = 1; i < facts.arguments.size(); ++i) words += (i == 1 ? "" : " ") + facts.arguments[i];
  return {{facts.name, build_id_of(executable), hash_of_text(words), words.substr(0, 160)}, hash_of_text(directory)};
}

}  // namespace marshal::profile
