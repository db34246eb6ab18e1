// Which files these are:
//   nvidia0, nvidia1, …   one for each GPU of NVIDIA's driver; nvidiactl and nvidia-uvm are there without a GPU, too
//   dri/renderD128, …     the file by which programs compute on a GPU of AMD or Intel. A chip for nothing but a screen,
//   as
//                         servers have one beside the baseboard's management, has dri/card0 and no such file. A
//                         graphics chip of a laptop has one.
//   kfd                   AMD's, beside a render file for each GPU
//   dxg                   all GPUs of a Windows that runs this Linux
// No file is opened: that may wake a GPU up, which takes a second. So a GPU counts, too, that only a control group
// forbids (Slurm's ConstrainDevices). Whether a library for GPUs is mapped says little: CUDA-aware UCX and hwloc map
// one in every program.
#include "host/gpu_devices.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/relaxed.h"

namespace marshal {
namespace {

constinit Relaxed<bool> could_be_opened{true};

bool has_openable(const std::string& folder, std::string_view prefix) {
  DIR* const files = opendir(folder.c_str());
  if (files == nullptr) return false;
  bool found = false;
  while (const dirent* const entry = found ? nullptr : readdir(files)) {
    const std::string_view name = entry->d_name;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const std::string_view number = name.substr(prefix.size());
    found = std::all_of(number.begin(), number.end(), is_digit) &&
            access((folder + "/" + entry->d_name).c_str(), R_OK | W_OK) == 0;
  }
  closedir(files);
  return found;
}

}  // namespace

bool could_open_gpu(const std::string& folder) {
  const auto is_openable = [&](const char* name) { return access((folder + name).c_str(), R_OK | W_OK) == 0; };
  return has_openable(folder, "nvidia") || has_openable(folder + "/dri", "renderD") || is_openable("/kfd") ||
         is_openable("/dxg");
}

void look_for_gpus(const std::string& folder) { could_be_opened = could_open_gpu(folder); }
bool could_open_gpu() { return could_be_opened; }

}  // namespace marshal
