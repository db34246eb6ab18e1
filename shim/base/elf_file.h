// An ELF file of this machine's kind: the function that holds an address, and the file's build-id. Every offset of the
// file is checked, so a damaged file is an error and never a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace marshal {

class ElfFile {
 public:
  // Empty if the file is no ELF file of this machine, or damaged. The file stays mapped as long as the object lives.
  static std::optional<ElfFile> open(const std::string& path);
  // The same of a descriptor, which stays open.
  static std::optional<ElfFile> open(int file);
  ElfFile(ElfFile&& other) noexcept;  // moved, not copied
  ElfFile& operator=(ElfFile&& other) noexcept;
  ~ElfFile();

  // Name (mangled) of the function that holds `address` (as in the file, so relative to the load base), empty when
  // stripped.
  std::string function_at(std::uint64_t address) const;
  // The linker's note, in hexadecimal digits, of at most 32 bytes; empty where there is none.
  std::string build_id() const;

 private:
  struct Symbols {
    std::size_t offset = 0, count = 0, strings = 0, strings_size = 0;
  };

  ElfFile() = default;
  bool is_of_this_machine() const;
  void find_symbols();
  template <typename T>
  bool read(std::size_t offset, T& value) const;
  std::string build_id_among(std::size_t notes, std::size_t size) const;
  std::string_view string_at(std::size_t table, std::size_t size, std::size_t index) const;

  std::span<const std::byte> bytes_;
  Symbols dynamic_symbols_, all_symbols_;
};

}  // namespace marshal
