#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "../property_seed.h"
#include "../repeats.h"
#include "base/split_text.h"
#include "tools/stands/verdicts.h"

using namespace marshal;
using namespace marshal::tools::stands;

namespace {

// Communicators of the tests.
const std::string world = "00000000000000aa", part = "00000000000000bb";

// A line of a file.
std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) line += (line.empty() ? "" : "\t") + field;
  return line + "\n";
}

// Tests change some of this. All else is a rank of MPI_COMM_WORLD that stands there for 300 s.
struct Made {
  std::string count = "11", how = "in", call = "MPI_Recv", peer = "-", number = "0", seconds = "300", state = "S",
              level = "0", more = "0", tag = "-";
  std::string communicator = world, at = "/app+0x10", above = "";
  std::string extra = "";  // more lines
};

std::string process_of(std::size_t rank, std::size_t size, const Made& made) {
  std::string text =
      line_of({"process", std::to_string(rank), std::to_string(1000 + rank), made.state, made.level, made.more}) +
      line_of({"communicator", world, made.count, std::to_string(size), std::to_string(rank), "MPI_COMM_WORLD", "-"});
  if (made.how != "none") {
    std::vector<std::string> thread{"thread",    made.how,  made.seconds, made.call, made.communicator,
                                    made.number, made.peer, made.tag,     made.at};
    if (!made.above.empty()) thread.push_back(made.above);
    text += line_of(thread);
  }
  return text + made.extra;
}

constexpr std::size_t written = 1'790'000'000;

struct MadeNode {
  std::size_t number = 0, nodes = 1, first = 0, at = written, age = 1000;
  std::string run = "0123456789abcdef";
};

std::string file_of(const std::vector<Made>& processes, const MadeNode& node = {}, std::size_t size = 0) {
  const std::size_t all = size == 0 ? processes.size() : size;
  std::string text =
      "marshal-running\t1\n" +
      line_of({"job", "heat", "4711", node.run, std::to_string(all), std::to_string(node.nodes), "300"}) +
      line_of({"node", std::to_string(node.number), "n" + std::to_string(node.number), std::to_string(processes.size()),
               std::to_string(node.at), std::to_string(node.age), "300"});
  for (std::size_t p = 0; p < processes.size(); ++p) text += process_of(node.first + p, all, processes[p]);
  return text + "end\n";
}

std::string text_of(const std::vector<std::string>& files) {
  std::vector<Picture> pictures;
  for (const std::string& file : files) BOOST_TEST(add_file(file, false, pictures) == "");
  BOOST_REQUIRE(pictures.size() == 1);
  return shown(pictures[0], findings_of(pictures[0]), written + 12).text;
}

std::string text_of(const std::vector<Made>& processes) { return text_of(std::vector{file_of(processes)}); }

std::vector<std::string> certain(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n'))
    if (line.starts_with("Certain: ")) lines.emplace_back(line.substr(9));
  return lines;
}

bool has(const std::string& text, const std::string& words) {
  const bool is_there = text.find(words) != std::string::npos;
  if (!is_there) BOOST_TEST_MESSAGE(text + "lacks: " + words);
  return is_there;
}

Made barrier(const std::string& number, const std::string& seconds = "300") {
  return {.count = number, .call = "MPI_Barrier", .number = number, .seconds = seconds};
}
Made outside(const std::string& count = "11", const std::string& seconds = "300") {
  return {.count = count, .how = "out", .call = "MPI_Send", .peer = "1", .seconds = seconds};
}
Made receive(const std::string& from, const std::string& seconds = "300") { return {.peer = from, .seconds = seconds}; }
Made over(const std::string& state, Made made) {
  made.state = state;
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_missing_rank_is_named_with_its_place_and_is_no_verdict) {
  const std::string text = text_of({barrier("12"), barrier("12"), outside(), barrier("12")});
  BOOST_TEST(has(text, "heat, job 4711: 4 ranks on 1 node, as seen at "));
  BOOST_TEST(has(text, ", 12 s ago\n"));
  BOOST_TEST(has(text,
                 "3 of 4 processes (ranks 0-1, 3): MPI_Barrier at app+0x10 on MPI_COMM_WORLD, the 12th collective "
                 "there, for 300 s"));
  BOOST_TEST(has(text,
                 "1 of 4 processes (rank 2): outside MPI for 300 s, after MPI_Send at app+0x10 "
                 "[sleeping, pid 1002 on n0]"));
  BOOST_TEST(has(text, "Waits for: ranks 0-1, 3 in MPI_Barrier, the 12th collective on MPI_COMM_WORLD, for rank 2"));
  BOOST_TEST(has(text, "Next: gdb -p 1002 on n0, for rank 2\n"));
  BOOST_TEST(certain(text).empty());
}

BOOST_AUTO_TEST_CASE(different_calls_under_one_number_are_certain) {
  Made reduce = barrier("12");
  reduce.call = "MPI_Allreduce";
  BOOST_TEST(certain(text_of({barrier("12"), reduce})).size() == 1);
  Made large = barrier("12");
  large.call = "MPI_Barrier_c";
  BOOST_TEST(certain(text_of({barrier("12"), large})).empty());
  reduce.number = "13", reduce.count = "13";
  for (const std::string& line : certain(text_of({barrier("12"), reduce})))
    BOOST_TEST(!line.starts_with("one collective"));
  reduce = barrier("12", "4");
  reduce.call = "MPI_Allreduce";
  BOOST_TEST(certain(text_of({barrier("12"), reduce})).empty());
  reduce = barrier("0");
  reduce.call = "MPI_Allreduce";
  BOOST_TEST(certain(text_of({barrier("0"), reduce})).empty());
}

BOOST_AUTO_TEST_CASE(a_process_that_is_gone_is_waited_for_in_vain) {
  for (const char* state : {"gone", "ended", "finished"}) {
    BOOST_TEST(certain(text_of({barrier("12"), over(state, outside())})).size() == 1, state);
    BOOST_TEST(certain(text_of({receive("1"), over(state, outside())})).size() == 1, state);
    BOOST_TEST(certain(text_of({barrier("12"), over(state, outside("12"))})).empty(), state);
    BOOST_TEST(certain(text_of({receive("any"), over(state, outside())})).empty(), state);
    BOOST_TEST(certain(text_of({receive("1", "4"), over(state, outside())})).empty(), state);
    // Its message may be on its way yet.
    BOOST_TEST(certain(text_of({receive("1"), over(state, outside("11", "0"))})).empty(), state);
  }
  for (const char* call : {"MPI_Bcast", "MPI_Gather", "MPI_Ibarrier", "MPI_Barrier_init", "MPI_Neighbor_alltoall"}) {
    Made other = barrier("12");
    other.call = call;
    BOOST_TEST(certain(text_of({other, over("gone", outside())})).empty(), call);
  }
  BOOST_TEST(certain(text_of({receive("1"), outside()})).empty());
}

BOOST_AUTO_TEST_CASE(who_comes_to_the_end_waits_for_all) {
  Made last{.call = "MPI_Finalize", .communicator = "0"};
  BOOST_TEST(has(text_of({last, outside()}), "Waits for: rank 0 in MPI_Finalize, for rank 1"));
  BOOST_TEST(certain(text_of({last, outside()})).empty());
  BOOST_TEST(certain(text_of({last, over("gone", outside())})).size() == 1);
  BOOST_TEST(certain(text_of({last, over("finished", outside())})).empty());
}

BOOST_AUTO_TEST_CASE(receives_that_wait_for_each_other_are_a_deadlock) {
  const std::vector<std::string> lines = certain(text_of({receive("1"), receive("2"), receive("0"), receive("0")}));
  BOOST_REQUIRE(lines.size() == 1);
  BOOST_TEST(has(lines[0], "rank 0 in MPI_Recv, for rank 1"));
  BOOST_TEST(certain(text_of({receive("1"), receive("2"), outside()})).empty());
  BOOST_TEST(certain(text_of({receive("1"), receive("any")})).empty());
  BOOST_TEST(certain(text_of({receive("1"), receive("0", "4")})).empty());
  BOOST_TEST(certain(text_of({receive("1"), {.how = "poll", .call = "MPI_Iprobe", .peer = "0"}})).empty());
  BOOST_TEST(certain(text_of({receive("1"), {.call = "MPI_Send", .peer = "0"}})).empty());
  BOOST_TEST(certain(text_of({receive("0"), outside()})).size() == 1);  // from itself
}

BOOST_AUTO_TEST_CASE(a_thread_that_nobody_sees_may_serve_a_receive) {
  for (const char* level : {"3", "-1"}) {
    Made many = receive("0");
    many.level = level;
    BOOST_TEST(certain(text_of({receive("1"), many})).empty(), level);
  }
  Made more = receive("0");
  more.more = "1";
  BOOST_TEST(certain(text_of({receive("1"), more})).empty());
  Made second = receive("0");
  second.extra = line_of({"thread", "in", "300", "MPI_Send", world, "0", "0", "1", "-"});
  BOOST_TEST(certain(text_of({receive("1"), second})).empty());
  second.extra = line_of({"thread", "out", "300", "MPI_Send", world, "0", "0", "1", "-"});
  BOOST_TEST(certain(text_of({receive("1"), second})).size() == 1);
}

BOOST_AUTO_TEST_CASE(two_communicators_in_another_order_are_a_deadlock) {
  const auto both = [](const std::string& count, const std::string& on, const std::string& count_there,
                       const std::string& size = "2") {
    Made made = barrier("12");
    made.count = count;
    made.communicator = on;
    made.number = on == world ? count : count_there;
    made.extra = line_of({"communicator", part, count_there, size, "-1", "MPI_Comm_dup", "-"});
    return made;
  };
  BOOST_TEST(certain(text_of({both("12", world, "4"), both("11", part, "5")})).size() == 1);
  BOOST_TEST(certain(text_of({both("12", world, "5"), both("11", part, "5")})).empty());
  BOOST_TEST(certain(text_of({both("12", world, "4", "3"), both("11", part, "5", "3")})).empty());
}

BOOST_AUTO_TEST_CASE(moments_of_nodes_are_compared) {
  const auto texts = [](const Made& first, const Made& second, std::size_t at, std::size_t age) {
    return certain(text_of({file_of({first}, {.nodes = 2}, 2),
                            file_of({second}, {.number = 1, .nodes = 2, .first = 1, .at = at, .age = age}, 2)}));
  };
  BOOST_TEST(texts(receive("1"), receive("0"), written - 290, 710).size() == 1);
  BOOST_TEST(texts(receive("1"), receive("0"), written - 297, 703).empty());
  BOOST_TEST(texts(receive("1"), receive("0"), written - 200, 1000).empty());  // its clock differs by 200 s
  BOOST_TEST(texts(receive("1"), over("gone", outside()), written + 10, 1010).size() == 1);
  BOOST_TEST(texts(receive("1"), over("gone", outside("11", "12")), written + 10, 1010).empty());
}

BOOST_AUTO_TEST_CASE(files_that_are_cut_or_missing_are_named) {
  std::string file = file_of({receive("1"), receive("0")}, {.nodes = 3}, 3);
  file.resize(file.size() - 6);
  const std::string text =
      text_of({file, file_of({outside()}, {.number = 2, .nodes = 3, .first = 2, .at = written - 61, .age = 939}, 3)});
  BOOST_TEST(has(text, "no file of node 1\n"));
  BOOST_TEST(has(text, "node 0 (n0): its file was cut, processes are missing\n"));
  BOOST_TEST(has(text, "node 2 (n2): its file is older than the newest by 61 s\n"));
  BOOST_TEST(certain(text).empty());
}

BOOST_AUTO_TEST_CASE(what_contradicts_is_refused) {
  std::vector<Picture> pictures;
  BOOST_TEST(add_file(file_of({outside()}, {.nodes = 2}, 2), false, pictures) == "");
  BOOST_TEST(add_file(file_of({outside()}, {.nodes = 2}, 2), false, pictures) == "another file of its node is as new");
  BOOST_TEST(add_file(file_of({outside()}, {.number = 1, .nodes = 2}, 2), false, pictures) ==
             "it has rank 0, as the file of another node has");
  BOOST_TEST(add_file(file_of({outside()}, {.number = 1, .nodes = 3, .first = 1}, 2), false, pictures) ==
             "it contradicts another file of its run");
  BOOST_TEST(add_file(file_of({outside()}, {.nodes = 2, .at = written + 1}, 2), false, pictures) == "");
  BOOST_TEST(add_file(file_of({outside()}, {.run = "0000000000000001"}), false, pictures) == "");
  BOOST_TEST(pictures.size() == 2);
  BOOST_TEST(add_file("", false, pictures) != "");
  BOOST_TEST(add_file("{}\n", false, pictures) == "it is no file of a watched run, in version 1");
  BOOST_TEST(add_file("marshal-running\t2\n", false, pictures) == "it is no file of a watched run, in version 1");
  BOOST_TEST(add_file(file_of({over("gonee", outside())}), false, pictures) == "line 4 is not understood");
  BOOST_TEST(add_file(file_of({outside("-1")}), false, pictures) == "line 5 is not understood");
  BOOST_TEST(pictures.size() == 2);
}

BOOST_AUTO_TEST_CASE(the_text_has_callers_peers_and_polls) {
  Made library = receive("any");
  library.tag = "7", library.at = "/lib/libio.so+0x20", library.above = "/app+0x30";
  BOOST_TEST(
      has(text_of({library, outside()}),
          "MPI_Recv at libio.so+0x20, first called from app+0x30, from any rank, tag 7 on MPI_COMM_WORLD, for 300 s"));
  Made python = receive("1");
  python.at = "py:/home/a:b/halo.py:18:Grid.exchange";
  const std::string text = text_of({python, python});
  BOOST_TEST(has(text, "MPI_Recv at halo.py:18 in Grid.exchange from rank 1"));
  BOOST_TEST(has(text, "Next: py-spy dump --pid 1001 on n0"));
  BOOST_TEST(has(text_of({{.how = "poll", .call = "MPI_Iprobe", .peer = "1"}, outside()}),
                 "asks again and again: MPI_Iprobe"));
  Made split = barrier("12");
  split.communicator = part, split.number = "4";
  split.extra = line_of({"communicator", part, "4", "2", "0", "MPI_Comm_split", "/app+0x99"});
  BOOST_TEST(
      has(text_of({split, outside()}),
          "MPI_Barrier at app+0x10 on a communicator of 2 by MPI_Comm_split at app+0x99, the 4th collective there"));
}

BOOST_AUTO_TEST_CASE(a_job_stands_where_nobody_moved_for_5_s) {
  const auto stands = [](const std::vector<Made>& processes) {
    std::vector<Picture> pictures;
    BOOST_TEST(add_file(file_of(processes), false, pictures) == "");
    return findings_of(pictures.at(0)).stands;
  };
  BOOST_TEST(stands({outside(), barrier("12")}));
  BOOST_TEST(!stands({outside("11", "4"), barrier("12")}));
  BOOST_TEST(stands({over("unseen", {.how = "none"}), barrier("12")}));
  BOOST_TEST(!stands({over("finished", outside())}));
}

BOOST_AUTO_TEST_CASE(a_thousand_groups_fit_on_a_screen) {
  std::vector<Made> all;
  for (std::size_t n = 0; n < 512; ++n) {
    all.push_back(receive(std::to_string((n + 1) % 512)));
    all.back().at = "/app+0x" + std::to_string(n + 10);
  }
  const std::string text = text_of(all);
  BOOST_TEST(has(text, "and 488 more\n"));
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') <= 48);
  BOOST_TEST(certain(text).size() == 1);
}

BOOST_AUTO_TEST_CASE(hostile_files_are_survived) {
  Made split = barrier("12");
  split.extra =
      line_of({"communicator", part, "4", "2", "0", "MPI_Comm_split", "/app+0x99"}) +
      line_of({"thread", "poll", "7", "MPI_Iprobe", part, "0", "any", "any", "/a+0x1", "/b+0x2", "py:/x.py:3:f"});
  const std::string good = file_of({split,
                                    receive("0"),
                                    over("gone", outside()),
                                    over("finished", outside()),
                                    over("unseen", {.how = "none"}),
                                    receive("2"),
                                    barrier("12"),
                                    {.call = "MPI_Finalize", .communicator = "0"}});
  const std::vector<std::string> odd{"-1",
                                     "0",
                                     "1",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     "9223372036854775807",
                                     "1e300",
                                     "nan",
                                     "inf",
                                     "",
                                     "any",
                                     "null",
                                     "-",
                                     world,
                                     "\x1b[31m",
                                     "gone",
                                     "in",
                                     "out",
                                     "py:::",
                                     "+0x",
                                     "/a+0x",
                                     "1048576",
                                     "1000000000000"};
  std::mt19937 random(property_seed());
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  const char* const wanted = std::getenv("MARSHAL_TEST_REPEATS");
  const std::uint64_t times = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : repeats(20'000);
  std::size_t understood = 0;
  for (std::uint64_t n = 0; n < times; ++n) {
    std::string text = good;
    for (std::size_t changes = 1 + below(3) * below(2); changes != 0 && !text.empty(); --changes) {
      const auto piece_at = [&](char separator) {  // of a line or a field
        const std::size_t begin = text.find_last_of("\t\n", below(text.size())) + 1;
        const std::size_t from = separator == '\t' ? begin : text.rfind('\n', begin) + 1;
        const std::size_t end = text.find_first_of(separator == '\t' ? "\t\n" : "\n", from);
        return std::pair(std::min(from, text.size()), std::min(end, text.size()) - std::min(from, text.size()));
      };
      switch (below(6)) {
        case 0:
          text[below(text.size())] = static_cast<char>(below(2) == 0 ? below(256) : '0' + below(10));
          break;
        case 1:
          if (below(4) == 0) text.resize(below(text.size()));
          break;
        case 2: {
          const auto [at, size] = piece_at('\n');
          text.insert(at, text.substr(at, size + 1));
          break;
        }
        case 3: {
          const auto [at, size] = piece_at('\n');
          text.erase(at, size + 1);
          break;
        }
        case 4: {
          const auto [at, size] = piece_at('\t');
          text.replace(at, size, odd[below(odd.size())]);
          break;
        }
        default: {
          const auto [at, size] = piece_at('\t');
          const std::string first = text.substr(at, size);
          const auto [to, other] = piece_at('\t');
          text.replace(to, other, first);
        }
      }
    }
    std::vector<Picture> pictures;
    if (add_file(text, below(2) == 0, pictures).empty()) ++understood;
    add_file(good, false, pictures);
    for (const Picture& picture : pictures) {
      const Shown all = shown(picture, findings_of(picture), static_cast<std::int64_t>(written));
      const std::string json = report::json_text(all.json, 1);
      if (all.text.empty() || json.empty()) BOOST_FAIL(text);
      if (all.text.find('\x1b') != std::string::npos) BOOST_FAIL("an escape sequence gets out: " + text);
    }
  }
  BOOST_TEST(understood > times / 20);
}
