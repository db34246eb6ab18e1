// Each process is a thread; the host is a mock that knows MPI_Allreduce and MPI_Comm_free.
#include "host/joint_work.h"

#include <algorithm>
#include <barrier>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "host/pmpi.h"
#include "host/predefined.h"

using namespace marshal;

namespace {

constexpr MPI_Comm world = 77;

class Job {
 public:
  explicit Job(int processes) : meet_(processes, EndOfQuestion{this}) {}

  // Called by all processes at once, as MPI_Allreduce with MPI_MAX.
  int greatest(const int* mine, int* most, int count) {
    {
      const std::lock_guard lock(mutex_);
      asked_.resize(static_cast<std::size_t>(count), std::numeric_limits<int>::min());
      for (int& number : asked_) number = std::max(number, *mine++);
    }
    meet_.arrive_and_wait();
    std::copy(answer_.begin(), answer_.end(), most);  // stays until all have arrived again
    return MPI_SUCCESS;
  }
  void freed(MPI_Comm communicator) {
    const std::lock_guard lock(mutex_);
    freed_.push_back(communicator);
  }
  std::vector<MPI_Comm> all_freed() const { return freed_; }

 private:
  struct EndOfQuestion {
    Job* job;
    void operator()() noexcept {
      job->answer_.swap(job->asked_);
      job->asked_.clear();
    }
  };
  std::barrier<EndOfQuestion> meet_;
  std::mutex mutex_;
  std::vector<int> asked_, answer_;
  std::vector<MPI_Comm> freed_;
};

std::unique_ptr<Job> job;
thread_local int questions = 0;  // of this process
thread_local bool host_fails = false;

int allreduce(const void* mine, void* most, int count, MPI_Datatype, MPI_Op, MPI_Comm communicator) {
  if (communicator != world) return MPI_ERR_COMM;
  ++questions;
  const int code = job->greatest(static_cast<const int*>(mine), static_cast<int*>(most), count);
  return host_fails ? MPI_ERR_OTHER : code;
}
int comm_free(MPI_Comm* communicator) {
  job->freed(*communicator);
  *communicator = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

// The outcome of a process.
struct Outcome {
  bool completed = false;
  int questions = 0;
};

std::vector<Outcome> all_of(int processes, const std::function<void(int rank, JointWork& all)>& work) {
  job = std::make_unique<Job>(processes);
  std::vector<Outcome> outcomes(static_cast<std::size_t>(processes));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < processes; ++rank)
    threads.emplace_back([&, rank] {
      Outcome& mine = outcomes[static_cast<std::size_t>(rank)];
      mine.completed = JointWork::run(world, [&](JointWork& all) { work(rank, all); });
      mine.questions = questions;
    });
  for (std::thread& t : threads) t.join();
  return outcomes;
}

}  // namespace

namespace marshal {

// In the place of pmpi.cc and predefined.cc, which look for a host.
const Pmpi& pmpi() {
  static const Pmpi table = [] {
    Pmpi functions;
    functions.Allreduce = allreduce;
    functions.Comm_free = comm_free;
    return functions;
  }();
  return table;
}
const bool has_predefined = (detail::predefined_handles =
                                 Predefined{
#define MARSHAL_PREDEFINED(type, name, constant, symbol) constant,
#include "host/predefined.table"
#undef MARSHAL_PREDEFINED
                                 },
                             true);

}  // namespace marshal

BOOST_AUTO_TEST_SUITE(joint_work)

BOOST_AUTO_TEST_CASE(work_that_completes_on_all_is_true_on_all) {
  for (const Outcome& one : all_of(4, [](int, JointWork& all) { all.all_ready(); })) {
    BOOST_TEST(one.completed);
    BOOST_TEST(one.questions == 2);  // the last one: whether all completed
  }
}

BOOST_AUTO_TEST_CASE(each_number_becomes_the_greatest_over_all) {
  std::vector<JointWork::Numbers> got(3);
  const auto outcomes = all_of(3, [&](int rank, JointWork& all) {
    got[static_cast<std::size_t>(rank)] = all.all_ready({rank, -rank, rank == 1 ? 9 : 0, -5});
  });
  const JointWork::Numbers expected{2, 0, 9, -5};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    BOOST_TEST(outcomes[rank].completed);
    BOOST_TEST(got[rank] == expected, boost::test_tools::per_element());
  }
}

// A process fails before the first, second or third question. Nobody may wait for it, or go on behind that question.
BOOST_AUTO_TEST_CASE(all_give_up_at_the_next_question_if_one_fails) {
  for (int last = 0; last < 3; ++last) {
    std::vector<int> collectives(4, 0);
    const auto outcomes = all_of(4, [&](int rank, JointWork& all) {
      for (int step = 0; step < 3; ++step) {
        if (rank == 2 && step == last) throw std::bad_alloc();
        all.all_ready();
        ++collectives[static_cast<std::size_t>(rank)];
      }
    });
    for (std::size_t rank = 0; rank < 4; ++rank) {
      BOOST_TEST(!outcomes[rank].completed);
      BOOST_TEST(outcomes[rank].questions == last + 1);
      BOOST_TEST(collectives[rank] == last);
    }
  }
}

BOOST_AUTO_TEST_CASE(work_is_false_on_all_if_one_fails_behind_the_last_question) {
  const auto outcomes = all_of(3, [](int rank, JointWork& all) {
    all.all_ready();
    if (rank == 0) throw 1;
  });
  for (const Outcome& one : outcomes) BOOST_TEST(!one.completed);
}

BOOST_AUTO_TEST_CASE(a_failing_question_counts_as_not_ready) {
  bool has_gone_on = false;
  const auto outcomes = all_of(1, [&](int, JointWork& all) {
    host_fails = true;
    all.all_ready();
    has_gone_on = true;
  });
  BOOST_TEST(!outcomes[0].completed);
  BOOST_TEST(!has_gone_on);
}

BOOST_AUTO_TEST_CASE(temporaries_are_freed_at_the_end_the_last_first) {
  for (const bool fails : {false, true}) {
    const auto outcomes = all_of(1, [&](int, JointWork& all) {
      MPI_Comm& first = all.temporary();
      BOOST_TEST(first == MPI_COMM_NULL);
      first = 1;
      all.temporary();  // never made
      all.temporary() = 3;
      all.all_ready();
      BOOST_TEST(job->all_freed().empty());
      if (fails) throw 1;
    });
    BOOST_TEST(outcomes[0].completed == !fails);
    BOOST_TEST((job->all_freed() == std::vector<MPI_Comm>{3, 1}));
  }
}

BOOST_AUTO_TEST_SUITE_END()
