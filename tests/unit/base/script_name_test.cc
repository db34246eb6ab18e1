#include <boost/test/unit_test.hpp>

#include "base/process_facts.h"

using namespace marshal;

namespace {

// The name, from a line as a shell would take it.
std::string name_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return script_of(words.front(), words).name;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_value_of_an_option_is_no_script) {
  for (const char* options : {"-u", "-W ignore", "-Wignore", "-X dev", "-Xdev", "-bW error", "-uBX faulthandler -OO",
                              "-Q new", "-I -W a:b:c -E", "--check-hash-based-pycs never", "--", "-W ignore --"})
    BOOST_TEST(name_of(std::string("python3.11 ") + options + " dir/x.py -n 4") == "x.py", options);
  BOOST_TEST(name_of("bash -eo pipefail run.sh") == "run.sh");
  BOOST_TEST(name_of("sh -x run.sh") == "run.sh");
  BOOST_TEST(name_of("julia -t 4 --project=. heat.jl") == "heat.jl");
  BOOST_TEST(name_of("perl -w -I lib solve.pl") == "solve.pl");
  BOOST_TEST(name_of("Rscript --vanilla fit.R") == "fit.R");
}

BOOST_AUTO_TEST_CASE(a_module_that_runs_a_program_has_that_program_s_name) {
  for (const char* module :
       {"mpi4py", "mpi4py.run", "mpi4py.futures", "mpi4py -rc threads=False --mpe", "mpi4py --rc=threads=0 -p mpe",
        "cProfile", "cProfile -o out.prof -s cumtime", "profile", "pdb -c continue", "trace --count -C dir",
        "coverage run --source . -p", "kernprof -l -o out", "mpi4py -m cProfile -o out", "cProfile -o out -m mpi4py"})
    for (const char* option : {" -m ", " -um ", " -W ignore -m "})
      BOOST_TEST(name_of(std::string("python3") + option + module + " dir/x.py run") == "x.py", module);
  BOOST_TEST(name_of("python3 -mmpi4py x.py") == "x.py");
  BOOST_TEST(name_of("python3 -m mpi4py -m solver.main x") == "solver.main");
  BOOST_TEST(name_of("python3 -m trace --module solver.main x") == "solver.main");
}

BOOST_AUTO_TEST_CASE(any_other_module_has_its_own_name) {
  BOOST_TEST(name_of("python3 -m mpi4py.bench helloworld") == "mpi4py.bench");
  BOOST_TEST(name_of("python3 -I -m solver x.py") == "solver");
  BOOST_TEST(name_of("python3 -m mpi4py") == "mpi4py");
  BOOST_TEST(script_of("python3", {"python3", "-m", "solver"}).path == "");
}

BOOST_AUTO_TEST_CASE(code_and_input_have_no_name) {
  for (const char* line :
       {"python3", "python3 -c code x.py", "python3 -uc code x.py", "python3 -ccode x.py", "python3 - x.py",
        "python3 -m mpi4py -c code x.py", "python3 -m", "python3 -W", "bash -lc code x.sh", "perl -e 1 x",
        "python3 -m mpi4py - x.py", "./a.out x.py", "python3 --"})
    BOOST_TEST(name_of(line) == "", line);
}
