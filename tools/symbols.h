// Function, file and line of call sites, from debug information where there is any, else from symbol tables.
#pragma once

#include <memory>
#include <string>

#include "report/call_site.h"
#include "report/record.h"

namespace marshal::tools {

class Symbols {
 public:
  Symbols();
  ~Symbols();
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // "setup_grid at grid.c:120", "setup_grid" or, when the module is not here or stripped, an empty text.
  std::string name(const report::Frame& frame);

 private:
  struct Modules;
  std::unique_ptr<Modules> modules_;
};

// Fills in the symbol of every call site that has none, or one without a line.
void add_symbols(report::Record& record);

}  // namespace marshal::tools
