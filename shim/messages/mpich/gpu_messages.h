// Finds out whether the host may keep messages in the memory of a GPU, which the engine cannot read. Calls the host.
#pragma once

namespace marshal::gpu_messages {

bool are_possible();

}  // namespace marshal::gpu_messages
