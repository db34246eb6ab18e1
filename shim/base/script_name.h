// Finds the program that an interpreter runs in its command line: a script, a module, or code that has no name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace marshal {

struct Script {
  std::string path;  // of a script; empty: a module, whose file is not known
  std::string name;  // the path's last part, or the module's name; empty: code, a terminal or standard input
};
// `arguments` is the interpreter's whole command line. Where python runs a module that itself runs a program,
// as `python3 -m mpi4py x.py` or `python3 -m cProfile x.py`, that program is the script.
Script script_of(std::string_view interpreter, const std::vector<std::string>& arguments);

}  // namespace marshal
