// The settings that libmarshal.so obeys while no library for an MPI is open: from the environment, the file of
// MARSHAL_CONFIG and the site's file, as base/options.h reads them, but without a C++ runtime. A value that is not
// allowed is passed over; the library for the MPI is the one that says so.
#pragma once

namespace marshal {

struct DoorSettings {
  bool silent;        // MARSHAL_VERBOSE=0, or MARSHAL_DISABLE
  bool asks_nothing;  // MARSHAL_MODE=observe, or MARSHAL_RANKMAP=derived: the host is asked nothing
};

// Reads up to two files.
DoorSettings read_door_settings();

}  // namespace marshal
