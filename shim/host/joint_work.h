// Work that all processes of a communicator do together, or not at all.
//
// One process may run out of memory, or a call of the host may fail on it. The others would wait for it in a collective
// call. So before each collective call such work asks whether all are ready, and nothing between that question and the
// call can fail. A process that failed answers the next question of the others; all give up there.
#pragma once

#include <cxxabi.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <exception>
#include <utility>

namespace marshal {

class JointWork {
 public:
  // The numbers that a process sends with its question: each becomes the greatest over all processes.
  using Numbers = std::array<int, 5>;

  // Runs work(all) with a JointWork. True if it completed on all processes; false on all of them if it threw on one.
  // Collective over the communicator, which must have no other traffic of Marshal's meanwhile.
  template <class Work>
  static bool run(MPI_Comm communicator, Work&& work) {
    JointWork all(communicator);
    try {
      std::forward<Work>(work)(all);
    } catch (const GivenUp&) {
      return false;
    } catch (const abi::__forced_unwind&) {
      throw;  // the thread is being cancelled
    } catch (...) {
      all.ask(1, {});
      return false;
    }
    return all.ask(0, {}).has_value;
  }

  // Asks whether all are ready: a collective call of this work must follow at once. Does not return if one is not.
  Numbers all_ready(Numbers numbers = {}) {
    const Answer answer = ask(0, numbers);
    if (!answer.has_value) throw GivenUp{};
    return answer.numbers;
  }

  MPI_Comm communicator() const { return communicator_; }

  // Frees a communicator when the work has ended on all processes, completed or not. For a few at most.
  MPI_Comm& temporary();

  JointWork(const JointWork&) = delete;
  JointWork& operator=(const JointWork&) = delete;

 private:
  struct GivenUp {};
  struct Answer {
    bool has_value;
    Numbers numbers;
  };

  explicit JointWork(MPI_Comm communicator) : communicator_(communicator) {}
  ~JointWork();
  Answer ask(int failed, const Numbers& numbers) const;

  const MPI_Comm communicator_;
  std::array<MPI_Comm, 4> temporaries_{};
  std::size_t temporary_count_ = 0;
};

}  // namespace marshal
