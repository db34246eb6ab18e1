// The results of `marshal tune` for a machine, in a file of a few lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace marshal::datatype {

bool is_of_amd();  // this machine's processor

struct Tuning {
  // Bytes of user data and packed data that a segment may touch: half a first-level cache if nothing was measured.
  std::int64_t segment_bytes = 16 * 1024;
  // Messages of so many packed bytes are written past the caches. Never if nothing was measured: on some machines it
  // is slower at every size (measured on Zen 4, in a virtual machine).
  static constexpr std::int64_t never = std::int64_t{1} << 60;
  std::int64_t stream_bytes = never;
  // 1 where fragments of messages are packed into memory of the core and copied, 0 where they are packed in place
  // (fragments.h). If nothing was measured, AMD's processors copy.
  std::int64_t stages_fragments = is_of_amd();

  bool operator==(const Tuning&) const = default;
};

// Lines `name value`, # for comments. Nothing if a line is neither, or a value is not sensible.
std::optional<Tuning> tuning_of(std::string_view text);
std::string tuning_text(const Tuning& tuning, std::string_view machine);

// CACHES/marshal/tune (base/new_file.h); empty where the user has no caches.
std::string tuning_path();

// The tuning that MARSHAL_TUNE asks for: "auto" (tuning_path(), if it is there), "off", or a file. A file that cannot
// be read gives the default, and a line in `problem`.
Tuning load_tuning(std::string_view setting, std::string& problem);

}  // namespace marshal::datatype
