
#include <memory>

#include "base/attempt.h"
#include "copies/extended_requests.h"
#include "copies/extended_state.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {
namespace {

constexpr int trial_bytes = 64, trial_tag = 5, most_tests = 100000;

class CountedEnds final : public Completion {
 public:
  explicit CountedEnds(int& ends) : ends_(ends) {}
  int ended(MPI_Status& status, int code) noexcept override {
    MPI_Count came = 0;
    if (pmpi().Get_elements_x(&status, predefined().type_byte, &came) == MPI_SUCCESS)
      ends_ += came == trial_bytes ? 1 : 100;
    return code;
  }

 private:
  int& ends_;
};

struct ExtendedTrial {
  MPI_Comm self;
  std::byte sent[trial_bytes]{}, received[trial_bytes]{};
  int ends = 0;

  bool begin(MPI_Request& made) {
    ExtendedRequest request(std::make_unique<CountedEnds>(ends));
    return pmpi().Irecv(received, trial_bytes, predefined().type_byte, 0, trial_tag, self, request.inner()) ==
               MPI_SUCCESS &&
           request.start(&made) == MPI_SUCCESS;
  }
  bool send() { return pmpi().Send(sent, trial_bytes, predefined().type_byte, 0, trial_tag, self) == MPI_SUCCESS; }

  // Tests until it has ended, as a host that does not poll never ends it.
  static bool tests(MPI_Request& made, MPI_Status& status) {
    int flag = 0;
    for (int i = 0; i < most_tests && flag == 0; ++i)
      if (pmpi().Testall(1, &made, &flag, &status) != MPI_SUCCESS) return false;
    return flag != 0 && made == predefined().request_null;
  }
  bool came(const MPI_Status& status) {
    MPI_Count elements = 0;
    int is_cancelled = 1;
    return status.MPI_SOURCE == 0 && status.MPI_TAG == trial_tag &&
           pmpi().Get_elements_x(&status, predefined().type_byte, &elements) == MPI_SUCCESS &&
           elements == trial_bytes && pmpi().Test_cancelled(&status, &is_cancelled) == MPI_SUCCESS && is_cancelled == 0;
  }
};

bool is_tested_in(ExtendedTrial& trial) {
  MPI_Request made = predefined().request_null;
  MPI_Status status{};
  return trial.begin(made) && trial.send() && ExtendedTrial::tests(made, status) && trial.ends == 1 &&
         trial.came(status);
}

// Its message is there, so the host only has to poll.
bool is_waited_for_in(ExtendedTrial& trial) {
  MPI_Request made = predefined().request_null;
  MPI_Status status{};
  return trial.begin(made) && trial.send() && pmpi().Wait(&made, &status) == MPI_SUCCESS && trial.ends == 2 &&
         made == predefined().request_null && trial.came(status);
}

bool is_cancelled_in(ExtendedTrial& trial) {
  MPI_Request made = predefined().request_null;
  MPI_Status status{};
  int cancelled = 0;
  return trial.begin(made) && pmpi().Cancel(ExtendedState::find(made)->place) == MPI_SUCCESS &&
         ExtendedTrial::tests(made, status) && pmpi().Test_cancelled(&status, &cancelled) == MPI_SUCCESS &&
         cancelled != 0;
}

}  // namespace

void try_out_extended_requests(MPI_Comm self) {
  if (!ExtendedRequest::exist()) return;
  attempt([&] {
    ExtendedTrial trial{self};
    if (is_tested_in(trial) && is_waited_for_in(trial) && is_cancelled_in(trial)) ExtendedRequest::begin();
  });
}

}  // namespace marshal
