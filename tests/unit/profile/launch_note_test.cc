#include "profile/launch_note.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>

#include "tests/unit/temporary_directory.h"

using namespace marshal;
using namespace marshal::profile;
namespace fs = std::filesystem;

namespace {

const LaunchNote note{.key = {{"app", "abc", "0123", "input -n 2"}, "4567"},
                      .hosts = {"n0", "n1"},
                      .asked = {0, 0, 1, 1, 0, 1},
                      .given = {0, 0, 0, 1, 1, 1},
                      .bytes_asked = 10,
                      .bytes_given = 40,
                      .taught_by = "job 4711, 2026-11-22T18:16:27+00:00"};

}  // namespace

BOOST_AUTO_TEST_CASE(a_note_comes_back_as_it_was) {
  std::string why_not;
  BOOST_TEST((launch_note_from_text(to_text(note), why_not) == note));
  BOOST_TEST(why_not == "");
  const LaunchNote key_only{.key = note.key};
  BOOST_TEST((launch_note_from_text(to_text(key_only), why_not) == key_only));
}

BOOST_AUTO_TEST_CASE(damaged_notes_are_refused) {
  const std::string whole = to_text(note);
  std::string why_not;
  for (const auto& [from, to] : {std::pair("launch 1", "launch 2"), std::pair("asked 0*2", "asked 2*2"),
                                 std::pair("asked 0*2", "asked 0*99999999999"), std::pair("given 0*3", "given -1*3"),
                                 std::pair("hosts", "hostes"), std::pair("given 0*3 1*3", "given 0*3"),
                                 std::pair("given 0*3 1*3", "given 0*2 1*4")}) {
    std::string text = whole;
    BOOST_REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), std::string(from).size(), to);
    why_not.clear();
    BOOST_TEST(!launch_note_from_text(text, why_not).has_value(), text);
    BOOST_TEST(why_not != "");
  }
}

BOOST_AUTO_TEST_CASE(a_written_note_is_read_and_a_link_is_not) {
  const TemporaryDirectory directory;
  std::string problem;
  const std::string path = write_launch_note(directory.path, note, "n0\nn1\n", problem);
  BOOST_TEST_REQUIRE(problem == "");
  BOOST_TEST((read_launch_note(path, problem) == note));
  BOOST_TEST(fs::exists(path + std::string(order_ending)));
  fs::create_symlink(path, directory.path + "/link.note");
  BOOST_TEST(!read_launch_note(directory.path + "/link.note", problem).has_value());
  BOOST_TEST(problem.find("symbolic link") != std::string::npos);
  BOOST_TEST(!read_launch_note(directory.path + "/absent", problem).has_value());
}

BOOST_AUTO_TEST_CASE(old_notes_go_with_their_orders_and_new_ones_stay) {
  const TemporaryDirectory directory;
  std::string problem;
  const std::string old = write_launch_note(directory.path, note, "n0\n", problem);
  const std::string recent = write_launch_note(directory.path, note, "n0\n", problem);
  for (const std::string& path : {old, old + std::string(order_ending)})
    fs::last_write_time(path, fs::last_write_time(path) - std::chrono::days(31));
  write_launch_note(directory.path, note, {}, problem);
  BOOST_TEST(!fs::exists(old));
  BOOST_TEST(!fs::exists(old + std::string(order_ending)));
  BOOST_TEST(fs::exists(recent));
  BOOST_TEST(fs::exists(recent + std::string(order_ending)));
  BOOST_TEST(launch_notes_in(directory.path).size() == 3);
}

BOOST_AUTO_TEST_CASE(of_many_notes_the_newest_stay_and_all_of_today) {
  const TemporaryDirectory directory;
  std::string problem;
  const auto write_many = [&](int days) {
    for (int i = 0; i < 510; ++i) {
      const std::string path = write_launch_note(directory.path, note, {}, problem);
      fs::last_write_time(path, fs::last_write_time(path) - std::chrono::days(days));
    }
  };
  write_many(2);
  BOOST_TEST(launch_notes_in(directory.path).size() <= 501);
  write_many(0);
  BOOST_TEST(launch_notes_in(directory.path).size() == 510);
}
