#include "watch/core_sharing.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace marshal;
using namespace marshal::watch;

namespace {

constexpr std::uint64_t interval = 10'000'000'000;

Cpus cpus(std::size_t first, std::size_t last) {
  Cpus mask;
  for (std::size_t cpu = first; cpu <= last; ++cpu) mask.set(cpu);
  return mask;
}
Cpus cpu(std::size_t one) { return cpus(one, one); }

// A process whose threads all may run there.
struct Made {
  Cpus mask;
  std::uint64_t threads = 1, percent_waited = 0;
  bool is_busy = true;
};

// With siblings, CPU n and CPU n + cores are one core.
struct Node : NodeCores {
  Node(std::size_t cores, const std::vector<Made>& made, bool has_siblings = false) : NodeCores(made.size()) {
    allowed = cpus(0, (has_siblings ? 2 : 1) * cores - 1);
    for (std::size_t i = 0; has_siblings && i < cores; ++i) core_of[cores + i] = static_cast<std::uint16_t>(i);
    std::fill(idle.begin(), idle.end(), std::uint8_t{98});
    for (std::size_t i = 0; i < made.size(); ++i) {
      processes[i].rank = i, processes[i].interval_ns = interval, processes[i].is_seen = true;
      for (std::uint64_t thread = 0; thread < made[i].threads; ++thread)
        add(i, made[i].mask, made[i].is_busy ? 100 - made[i].percent_waited : 0, made[i].percent_waited, thread == 0);
    }
  }
  void add(std::size_t process, const Cpus& mask, std::uint64_t percent_run, std::uint64_t percent_waited,
           bool is_first) {
    if (processes[process].add(interval / 100 * percent_run, interval / 100 * percent_waited, is_first))
      processes[process].cpus |= mask;
  }
};

// The first CPUs are in use all the time: processes run for half of it.
Node with_others_on(std::size_t count, Node node) {
  for (std::size_t cpu = 0; cpu < count; ++cpu) node.idle[cpu] = 1, node.processes[cpu].cpu_ns = interval / 2;
  return node;
}

// "shared 4 on 1, 7 free"
std::string told(NodeCores&& node) {
  const report::CoreUses uses = node.judge(interval);
  std::string text;
  const auto add = [&](const char* name, const report::CoreUse& use) {
    if (use.nodes == 0) return;
    BOOST_TEST(use.processes == use.example.processes);
    text += std::string(text.empty() ? "" : "; ") + name + ' ' + std::to_string(use.processes) + " on " +
            std::to_string(use.example.cores) + ", " + std::to_string(use.example.free) + " free";
  };
  add("shared", uses.shared);
  add("threads", uses.threads);
  add("foreign", uses.foreign);
  add("too many", uses.too_many);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(made_mistakes_are_found) {
  // taskset -c 0 mpirun -np 4 --bind-to none
  BOOST_TEST(told(Node(8, std::vector<Made>(4, {cpu(0), 1, 75}))) == "shared 4 on 1, 7 free");
  // mpirun -np 4 --cpu-set 0-1
  BOOST_TEST(told(Node(8, std::vector<Made>(4, {cpus(0, 1), 1, 50}))) == "shared 4 on 2, 6 free");
  // A program that binds two of its four processes to the core of another.
  BOOST_TEST(told(Node(8, {{cpu(0), 1, 50}, {cpu(1)}, {cpu(0), 1, 50}, {cpu(2)}})) == "shared 2 on 1, 5 free");
  // Masks that overlap: three on two cores, while one has six.
  BOOST_TEST(told(Node(8, {{cpus(2, 7)}, {cpus(0, 1), 1, 33}, {cpu(0), 1, 33}, {cpu(1), 1, 33}})) ==
             "shared 3 on 2, 5 free");
  // On the two hardware threads of a core.
  BOOST_TEST(told(Node(8, {{cpu(0), 1, 50}, {cpu(8), 1, 50}, {cpu(0), 1, 50}, {cpu(8), 1, 50}}, true)) ==
             "shared 4 on 1, 7 free");
  // OMP_NUM_THREADS is not set: each unbound process has a thread for each core of the node.
  BOOST_TEST(told(Node(4, std::vector<Made>(2, {cpus(0, 3), 4, 50}))) == "threads 2 on 4, 0 free");
  // Bound to a core each, with four threads.
  BOOST_TEST(told(Node(8, {{cpu(0), 4, 75}, {cpu(1), 4, 75}})) == "threads 2 on 2, 6 free");
  // OMP_PROC_BIND=true in unbound processes: both bind their threads from core 0 on.
  BOOST_TEST(told(Node(8, std::vector<Made>(2, {cpus(0, 3), 4, 50}))) == "threads 2 on 4, 4 free");
  // Two launchers, both from core 0 on.
  BOOST_TEST(told(with_others_on(2, Node(8, {{cpu(0), 1, 50}, {cpu(1), 1, 50}}))) == "foreign 2 on 2, 6 free");
  // One of four unbound processes has a thread more than there are cores.
  const Cpus four = cpus(0, 3);
  BOOST_TEST(told(Node(4, {{four, 2, 20}, {four, 1, 20}, {four, 1, 20}, {four, 1, 20}})) == "threads 4 on 4, 0 free");
  // A cgroup of one core, and one with the time of two CPUs.
  Node of_one_core(8, std::vector<Made>(4, {cpu(0), 1, 75}));
  of_one_core.allowed = cpu(0);
  BOOST_TEST(told(std::move(of_one_core)) == "too many 4 on 1, 0 free");
  Node of_two_cpus(8, std::vector<Made>(4, {cpus(0, 7), 1, 40}));
  of_two_cpus.quota = 2;
  BOOST_TEST(told(std::move(of_two_cpus)) == "too many 4 on 2, 0 free");
  // Slurm without cgroups: the job has four of 64 cores, and uses one of them.
  Node of_slurm(64, std::vector<Made>(4, {cpu(0), 1, 75}));
  of_slurm.slurm = 4;
  BOOST_TEST(told(std::move(of_slurm)) == "shared 4 on 1, 3 free");
}

BOOST_AUTO_TEST_CASE(right_cases_are_left_alone) {
  // Bound to cores, to sockets, and unbound.
  BOOST_TEST(told(Node(4, {{cpu(0)}, {cpu(1)}, {cpu(2)}, {cpu(3)}})).empty());
  BOOST_TEST(told(Node(8, {{cpus(0, 3)}, {cpus(0, 3)}, {cpus(4, 7)}, {cpus(4, 7)}})).empty());
  BOOST_TEST(told(Node(4, std::vector<Made>(4, {cpus(0, 3), 1, 5}))).empty());
  // Four threads for each process, on four cores, bound one by one or not.
  BOOST_TEST(told(Node(8, {{cpus(0, 3), 4}, {cpus(4, 7), 4}})).empty());
  BOOST_TEST(told(Node(2, {{cpus(0, 1), 2}})).empty());
  // Two threads on the two hardware threads of a core.
  BOOST_TEST(told(Node(4, {{cpu(0) | cpu(4), 2}, {cpu(1) | cpu(5), 2}}, true)).empty());
  // They wait because a quota lets them run for half of the time.
  BOOST_TEST(told(Node(8, {{cpu(0), 1, 50}, {cpu(1), 1, 50}})).empty());
  // Wanted: more processes than cores.
  BOOST_TEST(told(Node(2, std::vector<Made>(4, {cpus(0, 1), 1, 50}))) == "too many 4 on 2, 0 free");
  // A job of Slurm with half a node, where Slurm counts hardware threads, or cores.
  std::vector<Made> eight;
  for (std::size_t i = 0; i < 4; ++i) eight.insert(eight.end(), {{cpu(i), 1, 5}, {cpu(i + 32), 1, 5}});
  Node of_threads(32, eight, true);
  of_threads.slurm = 8;
  BOOST_TEST(told(std::move(of_threads)).empty());
  Node of_cores(32, std::vector<Made>(32, {cpus(0, 63)}), true);
  of_cores.slurm = 32;
  BOOST_TEST(told(std::move(of_cores)).empty());
  // A cgroup of two cores.
  Node of_two(64, {{cpu(4)}, {cpu(5)}});
  of_two.allowed = cpus(4, 5);
  BOOST_TEST(told(std::move(of_two)).empty());
}

BOOST_AUTO_TEST_CASE(what_costs_nothing_or_cannot_be_mended_is_not_said) {
  // They sleep.
  BOOST_TEST(told(Node(8, std::vector<Made>(4, {cpu(0), 1, 0, false}))).empty());
  // Each has a hardware thread of its own: what the core's other one costs it is not measured.
  BOOST_TEST(told(Node(8, {{cpu(0)}, {cpu(8)}}, true)).empty());
  // The other cores work for others.
  Node busy(2, std::vector<Made>(2, {cpu(0), 1, 50}));
  busy.idle[1] = 40;
  BOOST_TEST(told(std::move(busy)).empty());
  Node beside(2, {{cpu(0), 1, 50}});
  beside.idle[1] = 40;
  BOOST_TEST(told(std::move(beside)).empty());
  // A process that is not bound finds another core by itself.
  BOOST_TEST(told(Node(8, {{cpus(0, 7), 1, 50}})).empty());
  // It waited for threads of its own, which have ended.
  Node ended(8, {{cpu(0), 1, 50}});
  ended.processes[0].cpu_ns = interval / 100 * 98;
  BOOST_TEST(told(std::move(ended)).empty());
  // A run of 50 ms.
  BOOST_TEST((Node(8, std::vector<Made>(4, {cpu(0), 1, 75})).judge(50'000'000) == report::CoreUses{}));
  // A process that nobody may ask about.
  Node unseen(8, std::vector<Made>(2, {cpu(0), 1, 50}));
  unseen.processes[1] = {};
  BOOST_TEST(told(with_others_on(1, std::move(unseen))).empty());
  // Another process of the job has the only core that is idle.
  Node owned(4, {{cpu(0), 1, 50}, {cpu(0), 1, 50}, {cpu(1), 1, 0, false}});
  owned.idle[2] = owned.idle[3] = 1;
  BOOST_TEST(told(std::move(owned)).empty());
  // A quota allows no more than the core that its threads have.
  Node of_quota(8, {{cpu(0), 4, 75}});
  of_quota.quota = 1;
  BOOST_TEST(told(std::move(of_quota)) == "threads 1 on 1, 0 free");
  // It waited for threads of its own on one core, while most others of its mask were idle.
  Node crowded(16, {{cpus(0, 15), 1, 50}});
  std::fill(crowded.idle.begin(), crowded.idle.end(), std::uint8_t{99});
  crowded.idle[0] = crowded.idle[1] = 0, crowded.processes[0].cpu_ns = 2 * interval;
  BOOST_TEST(told(std::move(crowded)).empty());
}

BOOST_AUTO_TEST_CASE(only_busy_threads_count) {
  // Threads of the MPI library sleep, and may run anywhere.
  Node bound(8, {{cpu(0), 1, 50}, {cpu(0), 1, 50}});
  for (std::size_t i = 0; i < 2; ++i) bound.add(i, cpus(0, 7), 1, 0, false);
  BOOST_TEST(told(std::move(bound)) == "shared 2 on 1, 7 free");
  // The first threads share a core, and wait for those that work elsewhere.
  Node elsewhere(8, {{cpu(0), 1, 0, false}, {cpu(0), 1, 0, false}});
  for (std::size_t i = 0; i < 2; ++i) elsewhere.add(i, cpu(i + 1), 95, 5, false);
  BOOST_TEST(told(std::move(elsewhere)).empty());
}

BOOST_AUTO_TEST_CASE(the_wait_is_that_of_the_thread_that_waited_longest) {
  Node node(8, {{cpu(0), 1, 50}, {cpu(0), 1, 40}});
  node.add(0, cpu(0), 10, 30, false);
  const report::CoreUses uses = node.judge(interval);
  BOOST_TEST(uses.shared.waited_ns == interval / 100 * 90);
  BOOST_TEST(uses.shared.example.rank == 0u);
}
