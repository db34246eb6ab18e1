// The file NAME.traffic of a run (marshal-traffic(5)), written at the end, and what another order would gain.
#pragma once

#include <mpi.h>

#include <string>

#include "base/new_file.h"
#include "record/record.h"

namespace marshal {

// True if MARSHAL_TRAFFIC asks for the file. The same on all processes.
bool writes_traffic();

// True if the profile keeps it, for `marshal launch`. The same on all processes.
bool keeps_traffic();

// Writes what all processes sent to STEM.traffic; where only the profile keeps it, to a file that is removed again. One
// process of each node collects the rows of its node, and sends them to rank 0 when its turn comes: nobody holds more
// than one node's rows. A file lacks no process: where the memory for one's rows cannot be had, there is no file.
// Collective over `all`, which has the job's processes in the order of their ranks; rank 0 notes
// the files in the record, and gets an error or nothing.
std::string write_traffic(MPI_Comm all, const std::string& stem, report::Record& record);

// Finds out what `marshal order` would gain with the file that `traffic` names, and notes it there. The search takes a
// thousandth of the run, and some tenths of a second at most.
void try_order(report::Traffic& traffic, const report::Record& record);

}  // namespace marshal
