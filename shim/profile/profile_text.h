// A profile as text: lines, so that it can be read and sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/learned_grid.h"
#include "profile/moved_run.h"

namespace marshal::profile {

struct Contents {
  std::vector<LearnedGrid> grids{};    // oldest first
  std::vector<MovedRun> moved_runs{};  // the same; no two are alike
  bool operator==(const Contents&) const = default;
};

// Lines, with a first one that names the format. Names lose the characters that would break a line, and long names are
// cut.
std::string to_text(const Contents& contents);
// Nothing, and why in `why_not`, for what is no such text: nothing of it is trusted then. A text of an older Marshal
// has nothing in it that could be used.
std::optional<Contents> from_text(std::string_view text, std::string& why_not);

// The text of a field as a profile keeps it.
std::string as_kept(std::string_view text);

}  // namespace marshal::profile
