// This says who waits for whom in a picture, and what of it is certain; and puts both into words.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "record/json.h"
#include "tools/stands/picture.h"

namespace marshal::tools::stands {

using Ranks = std::set<std::uint64_t>;  // in MPI_COMM_WORLD
struct Wait {
  std::string call;                            // in which the waiters are
  std::uint64_t communicator = 0, number = 0;  // of a collective call
  Ranks waiters = {}, missing = {};
  bool knows_all = true;  // every member of the communicator is in the picture
};
// Certain: no time mends it. All its processes stood in one window of 5 s, and of the seconds by which the nodes
// disagree about the run's begin.
struct Verdict {
  std::string why;
  std::vector<Wait> parts;
};
struct Findings {
  std::vector<Wait> waits = {};  // the one with most processes first
  std::vector<Verdict> verdicts = {};
  bool stands = false;  // there is a verdict, or no process that can be read moved for 5 s
};
Findings findings_of(const Picture& picture);

struct Shown {
  std::string text;  // a screen
  report::Json json;
};
Shown shown(const Picture& picture, const Findings& findings, std::int64_t now);  // now: seconds since 1970

}  // namespace marshal::tools::stands
