#include "host/gpu_devices.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace marshal;

namespace {

// A folder of device files.
struct Devices {
  Devices() { BOOST_REQUIRE(mkdtemp(folder.data()) != nullptr); }
  ~Devices() { std::filesystem::remove_all(folder); }
  void add(const std::string& name) const {
    const std::filesystem::path path = folder + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "";
  }
  std::string folder = "/tmp/marshal-devices-XXXXXX";
};

bool could_open(std::initializer_list<const char*> files) {
  const Devices devices;
  for (const char* file : files) devices.add(file);
  return could_open_gpu(devices.folder);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(gpu_devices)

BOOST_AUTO_TEST_CASE(the_files_of_gpus_tell) {
  BOOST_TEST(could_open({"null", "nvidia0"}));
  BOOST_TEST(could_open({"nvidia12"}));
  BOOST_TEST(could_open({"kfd"}));
  BOOST_TEST(could_open({"dxg"}));
  BOOST_TEST(could_open({"dri/card0", "dri/renderD128"}));
}

BOOST_AUTO_TEST_CASE(other_files_do_not) {
  BOOST_TEST(!could_open({}));
  BOOST_TEST(!could_open({"nvidiactl", "nvidia-uvm", "nvidia", "nvidia0x"}));  // there without a GPU, too
  BOOST_TEST(!could_open({"dri/card0"}));                                      // a screen
  BOOST_TEST(!could_open_gpu("/no/such/folder"));
}

BOOST_AUTO_TEST_CASE(a_file_that_may_not_be_opened_does_not) {
  if (geteuid() == 0) return;  // root may open all
  const Devices devices;
  devices.add("nvidia0");
  chmod((devices.folder + "/nvidia0").c_str(), 0400);
  BOOST_TEST(!could_open_gpu(devices.folder));
}

BOOST_AUTO_TEST_SUITE_END()
