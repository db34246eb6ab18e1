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
using ProgramHeader = ElfW(Phdr);
using SectionHeader = ElfW(Shdr);
using Dynamic = ElfW(Dyn);
using Symbol = ElfW(Sym);

constexpr unsigned char kThisClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kThisOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

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
  has_interpreter_ = other.has_interpreter_;
  is_dynamic_ = other.is_dynamic_;
  needed_.swap(other.needed_);
  soname_.swap(other.soname_);
  rpath_.swap(other.rpath_);
  runpath_.swap(other.runpath_);
  dynamic_symbols_ = other.dynamic_symbols_;
  all_symbols_ = other.all_symbols_;
  return *this;
}

ElfFile::~ElfFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::optional<ElfFile> ElfFile::open(const std::string& path, Problem& problem) {
  problem = Problem::kUnreadable;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat status {};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  ElfFile elf;
  if (regular && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) elf.bytes_ = {static_cast<const std::byte*>(mapped), size};
  }
  close(file);
  if (!regular) return std::nullopt;
  problem = Problem::kNotElf;
  Header header{};
  if (elf.bytes_.size() < EI_NIDENT || std::memcmp(elf.bytes_.data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  problem = Problem::kOtherMachine;
  const auto ident = [&](int i) { return std::to_integer<unsigned char>(elf.bytes_[static_cast<std::size_t>(i)]); };
  if (ident(EI_CLASS) != kThisClass || ident(EI_DATA) != kThisOrder) return std::nullopt;
  if (elf.read(0, header) && this_machine() != EM_NONE && header.e_machine != this_machine()) return std::nullopt;
  problem = Problem::kDamaged;
  if (!elf.parse()) return std::nullopt;
  problem = Problem::kNone;
  return elf;
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

bool ElfFile::parse() {
  Header header{};
  if (!read(0, header)) return false;
  const std::size_t programs_size = std::size_t{header.e_phnum} * sizeof(ProgramHeader);
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(ProgramHeader)) return false;
  if (header.e_phoff > bytes_.size() || bytes_.size() - header.e_phoff < programs_size) return false;
  const auto programs = bytes_.subspan(header.e_phoff, programs_size);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ProgramHeader program{};
    read(header.e_phoff + i * sizeof program, program);
    if (program.p_type == PT_INTERP) has_interpreter_ = true;
    if (program.p_type != PT_DYNAMIC) continue;
    is_dynamic_ = true;
    if (!parse_dynamic(program.p_offset, program.p_filesz, programs)) return false;
  }
  parse_sections();
  return true;
}

bool ElfFile::parse_dynamic(std::size_t offset, std::size_t size, std::span<const std::byte> program_headers) {
  std::vector<std::size_t> needed;
  std::optional<std::size_t> soname, rpath, runpath;
  std::uint64_t strings_address = 0, strings_size = 0;
  for (std::size_t at = 0; at + sizeof(Dynamic) <= size; at += sizeof(Dynamic)) {
    Dynamic entry{};
    if (!read(offset + at, entry)) return false;
    if (entry.d_tag == DT_NULL) break;
    switch (entry.d_tag) {
      case DT_NEEDED:
        needed.push_back(entry.d_un.d_val);
        break;
      case DT_SONAME:
        soname = entry.d_un.d_val;
        break;
      case DT_RPATH:
        rpath = entry.d_un.d_val;
        break;
      case DT_RUNPATH:
        runpath = entry.d_un.d_val;
        break;
      case DT_STRTAB:
        strings_address = entry.d_un.d_ptr;
        break;
      case DT_STRSZ:
        strings_size = entry.d_un.d_val;
        break;
      default:
        break;
    }
  }
  // The string table is given by its address in memory: the loadable segment that holds it says where it is in the
  // file.
  std::optional<std::size_t> strings;
  for (std::size_t at = 0; at + sizeof(ProgramHeader) <= program_headers.size(); at += sizeof(ProgramHeader)) {
    ProgramHeader program{};
    std::memcpy(&program, program_headers.data() + at, sizeof program);
    if (program.p_type == PT_LOAD && strings_address >= program.p_vaddr &&
        strings_address - program.p_vaddr < program.p_filesz)
      strings = program.p_offset + (strings_address - program.p_vaddr);
  }
  if (!strings) return needed.empty();
  const auto text = [&](std::size_t index) { return std::string(string_at(*strings, strings_size, index)); };
  for (const std::size_t index : needed) needed_.push_back(text(index));
  if (soname) soname_ = text(*soname);
  if (rpath) rpath_ = text(*rpath);
  if (runpath) runpath_ = text(*runpath);
  return true;
}

void ElfFile::parse_sections() {
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

bool ElfFile::defines(std::string_view name) const {
  for (std::size_t i = 0; i < dynamic_symbols_.count; ++i) {
    Symbol symbol{};
    read(dynamic_symbols_.offset + i * sizeof symbol, symbol);
    if (symbol.st_shndx != SHN_UNDEF &&
        string_at(dynamic_symbols_.strings, dynamic_symbols_.strings_size, symbol.st_name) == name)
      return true;
  }
  return false;
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

}  // namespace marshal
