#include "base/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace marshal {
namespace {

using Header = ElfW(Ehdr);
using SectionHeader = ElfW(Shdr);
using Symbol = ElfW(Sym);

constexpr unsigned char this_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char this_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

// The machine of the running program, read from its own header.
ElfW(Half) this_machine() {
  static const ElfW(Half) machine = [] {
    Header header{};
    const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    const bool whole = file >= 0 && ::read(file, &header, sizeof header) == static_cast<ssize_t>(sizeof header);
    if (file >= 0) close(file);
    return whole ? header.e_machine : ElfW(Half){EM_NONE};
  }();
  return machine;
}

}  // namespace

ElfFile::ElfFile(ElfFile&& other) noexcept { *this = std::move(other); }

ElfFile& ElfFile::operator=(ElfFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  dynamic_symbols_ = other.dynamic_symbols_;
  all_symbols_ = other.all_symbols_;
  return *this;
}

ElfFile::~ElfFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::optional<ElfFile> ElfFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::optional<ElfFile> elf = open(file);
  close(file);
  return elf;
}

std::optional<ElfFile> ElfFile::open(int file) {
  struct stat status {};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  ElfFile elf;
  if (regular && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) elf.bytes_ = {static_cast<const std::byte*>(mapped), size};
  }
  if (!elf.is_of_this_machine()) return std::nullopt;
  elf.find_symbols();
  return elf;
}

bool ElfFile::is_of_this_machine() const {
  Header header{};
  if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != this_class || header.e_ident[EI_DATA] != this_order) return false;
  return this_machine() == EM_NONE || header.e_machine == this_machine();
}

template <typename T>
bool ElfFile::read(std::size_t offset, T& value) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes_.data() + offset, sizeof value);
  return true;
}

std::string_view ElfFile::string_at(std::size_t table, std::size_t size, std::size_t index) const {
  if (table > bytes_.size() || index >= size || bytes_.size() - table <= index) return {};
  const char* start = reinterpret_cast<const char*>(bytes_.data()) + table + index;
  return {start, strnlen(start, std::min(size - index, bytes_.size() - table - index))};
}

void ElfFile::find_symbols() {
  Header header{};
  read(0, header);
  if (header.e_shentsize != sizeof(SectionHeader)) return;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    SectionHeader section{}, strings{};
    if (!read(header.e_shoff + i * sizeof section, section)) return;
    if ((section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) || section.sh_entsize != sizeof(Symbol))
      continue;
    if (section.sh_offset > bytes_.size() || bytes_.size() - section.sh_offset < section.sh_size) continue;
    if (section.sh_link >= header.e_shnum || !read(header.e_shoff + section.sh_link * sizeof strings, strings))
      continue;
    const Symbols table{section.sh_offset, section.sh_size / sizeof(Symbol), strings.sh_offset, strings.sh_size};
    (section.sh_type == SHT_DYNSYM ? dynamic_symbols_ : all_symbols_) = table;
  }
}

std::string ElfFile::function_at(std::uint64_t address) const {
  for (const Symbols* table : {&all_symbols_, &dynamic_symbols_}) {
    for (std::size_t i = 0; i < table->count; ++i) {
      Symbol symbol{};
      read(table->offset + i * sizeof symbol, symbol);
      const bool function = (symbol.st_info & 0xf) == STT_FUNC && symbol.st_shndx != SHN_UNDEF;
      if (function && address >= symbol.st_value && address - symbol.st_value < symbol.st_size)
        return std::string(string_at(table->strings, table->strings_size, symbol.st_name));
    }
  }
  return {};
}

std::string ElfFile::build_id_among(std::size_t notes, std::size_t size) const {
  constexpr auto padded = [](std::size_t length) { return (length + 3) & ~std::size_t{3}; };
  if (notes > bytes_.size()) return {};
  const std::size_t end = notes + std::min(size, bytes_.size() - notes);
  for (std::size_t at = notes; at < end;) {
    ElfW(Nhdr) note;
    if (!read(at, note)) break;
    const std::size_t name = at + sizeof note, id = name + padded(note.n_namesz), next = id + padded(note.n_descsz);
    if (next > end) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(&bytes_[name], "GNU", 4) == 0) {
      constexpr char digits[] = "0123456789abcdef";
      std::string text;
      for (const std::byte byte : bytes_.subspan(id, std::min<std::size_t>(note.n_descsz, 32))) {
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 15];
      }
      return text;
    }
    at = next;
  }
  return {};
}

std::string ElfFile::build_id() const {
  Header header{};
  read(0, header);
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return {};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read(header.e_phoff + i * sizeof segment, segment)) break;
    if (segment.p_type != PT_NOTE) continue;
    if (std::string id = build_id_among(segment.p_offset, segment.p_filesz); !id.empty()) return id;
  }
  return {};
}

}  // namespace marshal
