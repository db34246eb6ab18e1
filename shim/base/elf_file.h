// An ELF file of this machine's kind, read without executing it: what it needs, what it defines, which function holds
// an address. Every offset of the file is checked, so a damaged file is an error and never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marshal {

class ElfFile {
 public:
  enum class Problem : unsigned char {
    kNone,
    kUnreadable,    // no such file, no permission
    kNotElf,        // a script, a text, anything else; empty files too
    kOtherMachine,  // another processor, word length or byte order
    kDamaged,
  };

  // The file stays mapped as long as the object lives. Moved, not copied.
  static std::optional<ElfFile> open(const std::string& path, Problem& problem);
  ElfFile(ElfFile&& other) noexcept;
  ElfFile& operator=(ElfFile&& other) noexcept;
  ~ElfFile();

  bool has_interpreter() const { return has_interpreter_; }  // PT_INTERP: the dynamic loader starts it
  bool is_dynamic() const { return is_dynamic_; }
  const std::vector<std::string>& needed() const { return needed_; }  // DT_NEEDED, in order
  const std::string& soname() const { return soname_; }
  const std::string& rpath() const { return rpath_; }      // DT_RPATH, colons between directories
  const std::string& runpath() const { return runpath_; }  // DT_RUNPATH

  // Whether the dynamic symbol table defines `name`.
  bool defines(std::string_view name) const;
  // Name (mangled) of the function that holds `address` (as in the file, so relative to the load base), empty when
  // stripped.
  std::string function_at(std::uint64_t address) const;

 private:
  struct Symbols {
    std::size_t offset = 0, count = 0, strings = 0, strings_size = 0;
  };

  ElfFile() = default;
  bool parse();
  bool parse_dynamic(std::size_t offset, std::size_t size, std::span<const std::byte> program_headers);
  void parse_sections();
  template <typename T>
  bool read(std::size_t offset, T& value) const;
  std::string_view string_at(std::size_t table, std::size_t size, std::size_t index) const;

  std::span<const std::byte> bytes_;
  bool has_interpreter_ = false, is_dynamic_ = false;
  std::vector<std::string> needed_;
  std::string soname_, rpath_, runpath_;
  Symbols dynamic_symbols_, all_symbols_;
};

}  // namespace marshal
