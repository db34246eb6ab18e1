#include "host/joint_work.h"

#include <algorithm>

#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal {

JointWork::Answer JointWork::ask(int failed, const Numbers& numbers) const {
  std::array<int, 1 + std::tuple_size_v<Numbers>> mine{failed}, most{};
  std::copy(numbers.begin(), numbers.end(), mine.begin() + 1);
  const int code = pmpi().Allreduce(mine.data(), most.data(), static_cast<int>(mine.size()), predefined().type_int,
                                    predefined().op_max, communicator_);
  Answer answer{code == MPI_SUCCESS && most[0] == 0, {}};
  std::copy(most.begin() + 1, most.end(), answer.numbers.begin());
  return answer;
}

MPI_Comm& JointWork::temporary() {
  MPI_Comm& fresh = temporaries_.at(temporary_count_++);
  fresh = predefined().comm_null;
  return fresh;
}

JointWork::~JointWork() {
  while (temporary_count_ > 0)
    if (MPI_Comm& last = temporaries_[--temporary_count_]; last != predefined().comm_null) pmpi().Comm_free(&last);
}

}  // namespace marshal
