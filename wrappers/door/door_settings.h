// The settings that libmarshal.so obeys while no library for an MPI is open: from the environment, the file of
// MARSHAL_CONFIG and the site's file, as base/options.h reads them, but without a C++ runtime. A value that is not
// allowed is passed over; the library for the MPI is the one that says so.
#pragma once

namespace marshal {

bool wants_errors_only();    // MARSHAL_VERBOSE=0
bool wants_nothing_done();   // MARSHAL_DISABLE
bool wants_nothing_asked();  // MARSHAL_MODE=observe, or MARSHAL_RANKMAP=derived: the host is asked nothing

}  // namespace marshal
