// A communicator of the same processes as another, without anything of the program's: no attributes, no topology, no
// collective calls under way or counted. Errors in calls on it only return.
#pragma once

#include <mpi.h>

namespace marshal {

class ApartCommunicator {
 public:
  // Collective over `of`, an intracommunicator. All processes have one, or none has.
  explicit ApartCommunicator(MPI_Comm of);
  ~ApartCommunicator();
  ApartCommunicator(const ApartCommunicator&) = delete;
  ApartCommunicator& operator=(const ApartCommunicator&) = delete;

  bool is_there() const { return is_there_; }
  MPI_Comm handle() const { return handle_; }

 private:
  MPI_Comm handle_;
  bool is_there_ = false;
};

// Gives `to` the error handler of `from`, as if it had been made of it.
void inherit_error_handler(MPI_Comm from, MPI_Comm to);

// Gives an error to the communicator's error handler. Returns `code`.
int deliver_error(MPI_Comm communicator, int code);

}  // namespace marshal
