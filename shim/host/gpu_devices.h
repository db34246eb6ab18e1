// Whether this process could use a GPU, as the device files say.
#pragma once

#include <string>

namespace marshal {

// True if this process may read and write a device file of a GPU in `folder`. That is /dev, except in tests. Opens
// none.
bool could_open_gpu(const std::string& folder);

// Looks there for this process, and keeps the answer.
void look_for_gpus(const std::string& folder);
// True until it has looked. Thread safe.
bool could_open_gpu();

}  // namespace marshal
