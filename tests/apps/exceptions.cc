// A C++ program: communicators owned by objects, errors returned by MPI and thrown as exceptions through its own
// frames, output by iostreams.
// cluster: nodes=2 ranks=4 env=MARSHAL_SELF_CHECK=on
#include <mpi.h>

#include <iostream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

void check(int error) {
  if (error == MPI_SUCCESS) return;
  int error_class = 0;
  MPI_Error_class(error, &error_class);
  throw std::runtime_error(error_class == MPI_ERR_COMM  ? "MPI_ERR_COMM"
                           : error_class == MPI_ERR_ARG ? "MPI_ERR_ARG"
                                                        : "another error");
}

class Communicator {
 public:
  Communicator(MPI_Comm parent, int color, int key) {
    check(MPI_Comm_split(parent, color, key, &handle_));
    check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN));
  }
  ~Communicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  [[nodiscard]] MPI_Comm get() const { return handle_; }
  [[nodiscard]] int rank() const {
    int rank = 0;
    check(MPI_Comm_rank(handle_, &rank));
    return rank;
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

std::vector<int> gathered(const Communicator& communicator, int value) {
  int size = 0;
  check(MPI_Comm_size(communicator.get(), &size));
  std::vector<int> values(static_cast<std::size_t>(size));
  check(MPI_Allgather(&value, 1, MPI_INT, values.data(), 1, MPI_INT, communicator.get()));
  return values;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  std::ostringstream line;
  {
    const Communicator half(MPI_COMM_WORLD, me % 2, -me);
    const auto values = gathered(half, me);
    line << "rank " << me << ": " << half.rank() << " of " << values.size() << ", sum "
         << std::accumulate(values.begin(), values.end(), 0);
    try {
      const Communicator wrong(half.get(), -5, 0);  // a negative colour that is not MPI_UNDEFINED
      line << ", negative colour taken";
    } catch (const std::runtime_error& error) {
      line << ", " << error.what();
    }
    MPI_Comm never = MPI_COMM_NULL;
    try {
      check(MPI_Comm_dup(MPI_COMM_NULL, &never));
    } catch (const std::runtime_error& error) {
      line << ", " << error.what();
    }
  }
  line << '\n';  // written at once, so that lines of several ranks do not mix
  std::cout << line.str() << std::flush;
  MPI_Finalize();
  return 0;
}
