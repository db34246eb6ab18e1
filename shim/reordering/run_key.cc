#include "reordering/run_key.h"

#include <fmt/format.h>
#include <link.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <climits>
#include <cstring>

#include "base/immortal.h"
#include "base/process_facts.h"
#include "profile/profile_file.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

// The linker's note in the program itself, the first object of the process.
int read_build_id(dl_phdr_info* object, std::size_t, void* result) {
  auto& build = *static_cast<std::string*>(result);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr);
    const unsigned char* const end = at + header.p_memsz;
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) entry;
      std::memcpy(&entry, at, sizeof entry);
      const std::size_t name = (entry.n_namesz + 3U) & ~3U, size = (entry.n_descsz + 3U) & ~3U;
      if (static_cast<std::size_t>(end - at) < sizeof entry + name + size) break;
      const unsigned char* const id = at + sizeof entry + name;
      if (entry.n_type == NT_GNU_BUILD_ID && entry.n_namesz == 4 && std::memcmp(at + sizeof entry, "GNU", 4) == 0)
        for (std::size_t k = 0; k < entry.n_descsz && k < 32; ++k) {
          constexpr char digits[] = "0123456789abcdef";
          build += digits[id[k] >> 4];
          build += digits[id[k] & 15];
        }
      at += sizeof entry + name + size;
    }
  }
  return 1;  // no further object
}

std::string build_id() {
  std::string build;
  dl_iterate_phdr(read_build_id, &build);
  return build;
}

// The words behind the program's name.
std::string words_of_program() {
  std::string words;
  const ProgramFacts program = program_facts();
  for (std::size_t i = 1; i < program.arguments.size(); ++i) words += (i == 1 ? "" : " ") + program.arguments[i];
  return words;
}

std::string working_directory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) != nullptr ? path.data() : "";
}

std::string hash_of_text(const std::string& text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

RunKey read_key() {
  const std::string words = words_of_program();
  return {program_facts().name, build_id(), hash_of_text(words), hash_of_text(working_directory()),
          words.substr(0, 160)};
}

std::string path_of_profile() {
  const std::string directory = profile::profile_directory(settings().text(Option::profile));
  return directory.empty() ? "" : profile::profile_path(directory, run_key().program, run_key().build);
}

}  // namespace

const RunKey& run_key() {
  static const Immortal<RunKey> key(read_key());
  return *key;
}

const std::string& profile_of_run() {
  static const Immortal<std::string> path(path_of_profile());
  return *path;
}

}  // namespace marshal
