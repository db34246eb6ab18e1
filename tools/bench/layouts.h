// The layouts that `marshal bench pack` and `marshal bench messages` measure: DDTBench's, those of MARs, and the usual
// shapes; and memory for them.
#pragma once

#include <regex.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "datatype/flatten.h"
#include "datatype/type_tree.h"

namespace marshal::bench {

struct Layout {
  std::string group;  // ddtbench, paper, struct, vector, indexed, face, transpose, contiguous
  std::string name;
  datatype::Type type;
  std::int64_t count;

  std::int64_t bytes() const { return type.size() * count; }
  // What all instances together touch; `pieces` are those of the type.
  datatype::Span touched(const datatype::Pieces& pieces) const;
};

// All of them, each with about so many packed bytes (DDTBench's own proportions are kept).
std::vector<Layout> layouts(std::int64_t bytes);

// Vectors of blocks of 512 B to 32 KiB, half of the memory, in the group `blocks`: where the host copies as fast.
std::vector<Layout> long_blocks(std::int64_t bytes);

// Which of them are asked for: an extended regular expression, as of regcomp(3), that is found in "group/name".
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
  bool matches(const Layout& layout) const {
    return regexec(&compiled_, (layout.group + "/" + layout.name).c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
  bool valid_;
};

// What `marshal bench` gives the programs: rounds, seconds of a sample, packed bytes with commas, and the pattern.
struct LayoutArguments {
  explicit LayoutArguments(char** arguments)
      : rounds(std::atoi(arguments[1])),
        slice(std::atof(arguments[2])),
        sizes(numbers(arguments[3])),
        wanted(arguments[4]) {}
  static std::vector<std::int64_t> numbers(const char* text);

  int rounds;
  double slice;
  std::vector<std::int64_t> sizes;
  Pattern wanted;
};

// One line of JSON each, for points.h.
struct TimedVariant {
  std::string name;
  double seconds;
};
void print_point(const std::string& series, const std::string& call, const Layout& layout, std::int64_t asked_for,
                 std::int64_t mean_block, const std::vector<TimedVariant>& variants);
void print_passed_over(const Layout& layout, std::int64_t memory);

// Memory for them: on huge or ordinary pages as malloc gives it, aligned to a page, all touched.
struct Bytes {
  std::byte* data;
  std::size_t size;
};

struct Memory {
  explicit Memory(std::int64_t bytes)
      : size(static_cast<std::size_t>(bytes)), at(std::aligned_alloc(4096, (size + 8191) / 4096 * 4096)) {
    std::memset(at.get(), 0, size);
  }
  explicit Memory(const Bytes& copied) : Memory(static_cast<std::int64_t>(copied.size)) {
    std::memcpy(at.get(), copied.data, size);
  }
  std::byte* data() const { return static_cast<std::byte*>(at.get()); }
  // Different bytes for each seed.
  void fill(std::size_t seed = 0) const {
    for (std::size_t i = 0; i < size; ++i) data()[i] = static_cast<std::byte>((i + 77 * seed) * 2654435761U >> 13);
  }
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::size_t size;
  std::unique_ptr<void, Free> at;
};

// Writes back and drops the lines of this memory from all caches.
inline void evict([[maybe_unused]] const Memory& memory) {
#if defined(__x86_64__)
  for (std::size_t i = 0; i < memory.size; i += 64) _mm_clflush(memory.data() + i);
  _mm_mfence();
#else
  static const Memory other(std::int64_t{64} << 20);
  std::memset(other.data(), 1, other.size);
#endif
}

// The most memory for one layout: more might be missing, or taken from other programs.
inline std::int64_t most_memory() { return std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE) / 2; }

}  // namespace marshal::bench
