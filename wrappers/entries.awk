# Reads calls.table and writes one of these: -v part=calls    the Call enumeration and the names (calls.h)
#                                            -v part=actions  the declarations of the actions (actions.h)
#                                            -v part=entries -v room=ROOM   the entry points of one part of the table (entries_ROOM.cc)
#                                            -v part=door     MARSHAL_DOOR(number, symbol) for each entry point (door_entries.inc)
#                                            -v part=rooms    the names of these parts
#                                            -v part=symbols  the symbols, one a line (for the tests)

function fail(text) { print FILENAME ":" FNR ": " text > "/dev/stderr"; failed = 1; exit 1 }

BEGIN {
  most_arguments = 13 # FortranArguments::most
  split("comm group type session win file request info errhandler", handles)
  for (i in handles) {
    h = handles[i]; c = toupper(substr(h, 1, 1)) substr(h, 2)
    cpp[h] = "MPI_" (h == "type" ? "Datatype" : c); cpp[h "_out"] = cpp[h "_io"] = cpp[h] "*"
  }
  cpp["types"] = "const MPI_Datatype*"
  cpp["int"] = cpp["logical"] = "int"; cpp["int_out"] = cpp["int_io"] = cpp["ints_out"] = cpp["logicals_out"] = "int*"
  cpp["ints"] = cpp["logicals"] = "const int*"
  cpp["aint"] = "MPI_Aint"; cpp["count"] = "MPI_Count"; cpp["count_out"] = cpp["count_io"] = "MPI_Count*"
  cpp["buf"] = cpp["ptr"] = cpp["cptr"] = "void*"; cpp["str"] = "const char*"; cpp["argc"] = "int*"; cpp["argv"] = "char***"
  cpp["op"] = "MPI_Op"
  made = "// Made from wrappers/calls.table by entries.awk"
  if (part == "calls") {
    print made "."
    print "#pragma once"
    print "#include <cstddef>\n"
    print "namespace marshal {"
    print "enum class Call : unsigned short {"
  } else if (part == "actions") {
    print made ": what each observed call does around the host's own function."
    print "#pragma once"
    print "#include <mpi.h>\n"
    print "#include \"host/later_mpi.h\""
    print "#include \"wrappers/host_call.h\"\n"
    print "namespace marshal::action {"
  } else if (part == "entries") {
    print made "."
    print "#include \"wrappers/actions.h\""
    print "#include \"wrappers/enter.h\""
    if (room == "collectives") print "#include \"wrappers/count_collectives.h\""
    if (room ~ /^(messages|requests|one_sided|neighbours)$/) print "#include \"wrappers/count_sends.h\""
    if (room ~ /^(datatypes|groups|packing|requests)$/) print "#include \"wrappers/quick_" room ".h\""
    print "\n#define MARSHAL_CALLER __builtin_return_address(0)"
    print "\nnamespace marshal {\nnamespace {"
    tail = "}  // namespace\n"
  }
}

/^#/ || NF == 0 { next }
/^\[[a-z_]+\]$/ { in_room = substr($1, 2, length($1) - 2); if (part == "rooms") print in_room; next }

{
  name = $1; does = $2; since = $3; only_c = sub(/c$/, "", since); is_extension = sub(/x$/, "", since); removed = sub(/-.*/, "", since)
  if (in_room == "") fail("a call outside of all [parts]")
  if (does !~ /^(pass|send|set_up|start|collect|broadcast|observe|replace|quick|quick_at|quick_end|cells)$/) fail("what is '" does "'? pass, send, set_up, start, collect, broadcast, observe, replace, quick, quick_at, quick_end or cells")
  if (since !~ /^[0-9]\.[0-9]$/) fail("no MPI version: " since)
  if (name in seen) fail(name " stands twice"); seen[name] = 1
  n = 0; fortran_n = 0; strings = 0; has_buf = 0; split("", place); has_cptr = 0; kinds = ""; parameters = ""; sends_by = ""; typed = ""; comm = -1; comms = 0
  for (i = 4; i <= NF; i++) {
    if (split($i, a, ":") != 2 || !(a[2] in cpp)) fail("no kind known in '" $i "'")
    if (a[2] == "comm") { comm = n; comms++ }
    place[a[1]] = n; kind_of[a[1]] = a[2]
    kinds = kinds (n ? ", " : "") "kind::" (a[2] == "int" ? "number" : a[2])
    parameters = parameters ", " cpp[a[2]] " " a[1]
    sends_by = sends_by ", " cpp[a[2]] (a[1] ~ /^(partitions|count|type|dest|comm|request)$/ ? " " a[1] : "")
    typed = typed (n ? ", " : "") "from_word<" cpp[a[2]] ">(w" n ")"
    n++
    if (a[2] != "argc" && a[2] != "argv") fortran_n++
    if (a[2] == "str") strings++
    if (a[2] == "buf") has_buf = 1
    if (a[2] == "cptr") has_cptr = 1
  }
  if (n > most_arguments || fortran_n + 1 + strings > most_arguments + 4) fail("more arguments than enter.cc has room for")
  if (does == "cells" && (comms != 1 || n != fortran_n)) fail("which communicator has the cells?")
  names[++count] = name
  if (part == "calls") { print "  " name ","; next }
  if (part == "actions" && does ~ /broadcast|observe|replace|quick/) print "int " tolower(name) "(HostCall& host" parameters ");"
  if (part == "rooms" || part == "actions" || (part == "entries" && in_room != room)) next
  if (part == "entries" && does == "send") {
    where = "comm" in place ? "comm" : "win"
    if (!(where in place) || !("dest" in place) || !("type" in place)) fail("a send has the arguments comm or win, dest, and type")
    print "using Sends_" name " = Sends<HandleOf::" where ", " place[where] ", " place["dest"] ", " place["type"] ", " \
      ("count" in place ? place["count"] : -1) ", " ("count" in place ? (kind_of["count"] == "int" ? "int" : "MPI_Count") : "int") ", " \
      1 + ("result" in place) + ("compare" in place) ", " ("result" in place && "op" in place ? place["op"] : -1) ">;"
  }
  if (part == "entries" && does ~ /^(collect|broadcast)$/) {
    counts = "counts" in place ? "counts" : "each" in place ? "each" : "count"; types = "types" in place ? "types" : "type"
    print "constexpr CollectivePart part_" name "{" place[counts] ", " place[types] ", " place["comm"] ", " ("root" in place ? place["root"] : -1) ", " \
      (name ~ /_init/ ? place["request"] : -1) ", " \
      (counts == "counts" ? "true" : "false") ", " (types == "types" ? "true" : "false") ", " (counts == "each" ? "true" : "false") ", " \
      (tolower(name) ~ /gather|^i?scatter/ && "root" in place ? "true" : "false") ", " (name ~ /_c$/ ? "true" : "false") ", " n "};"
  }
  if (part == "entries" && does == "cells") {
    counts = "sendcount" in place ? "sendcount" : "sendcounts"; types = "sendtype" in place ? "sendtype" : "sendtypes"
    print "constexpr NeighbourSends sends_" name "{" place[counts] ", " place[types] ", " place["comm"] ", " (name ~ /_init/ ? place["request"] : -1) ", " \
      (counts == "sendcounts" ? "true" : "false") ", " (types == "sendtypes" ? "true" : "false") ", " (name ~ /_c$/ ? "true" : "false") ", " n "};"  # ierror comes behind the arguments
  }
  if (part == "entries" && does !~ /^(pass|send|start|collect)$/) {
    row = "row_" name
    if (does == "set_up") print "int set_up_" tolower(name) "(HostCall& host" sends_by ") { return set_up_send(host, " \
      ("partitions" in place ? "partitions * " : "") "count, type, dest, comm, request); }"
    if (n) print "constexpr Kind kinds_" name "[] = {" kinds "};"
    print "constexpr Row " row "{Call::" name ", " (n ? "kinds_" name : "{}") ", " (does == "cells" ? "nullptr" : "&Invocation<&" (does == "set_up" ? "set_up_" : "action::") tolower(name) ">::on") "};"
    if (does ~ /^quick/) {
      told_caller = does == "quick_at"; told_end = does == "quick_end"
      print "struct Quick_" name (told_end ? " : action::Ending_" tolower(name) : "") " {"
      print "  MARSHAL_ALWAYS_INLINE " (told_end ? "" : "static ") "Quickly run(const void*" (told_caller ? " caller" : "") ", " word_list(n) ") noexcept { return action::quick_" tolower(name) "(" typed (told_caller ? ", caller" : told_end ? ", *this" : "") "); }"
      print "};"
    }
  }
  words = fortran_n + 1 + strings
  spellings("MPI_", name)
  if (is_extension) spellings("MPIX_", name)
}

function spellings(prefix, name,   large, lower, upper) {
  entry(prefix name, "c", n)
  large = sub(/_c$/, "", name)
  lower = tolower(prefix name); upper = toupper(lower)
  if (!large) {
    mpif(lower, upper, words)
    if (has_cptr) mpif(lower "_cptr", upper "_CPTR", words)
  }
  if (!removed && !only_c) {
    f08(lower (large ? "_c_f08" : "_f08"), "_", words)
    if (large) f08(lower "_f08", "_large_", words)  # so MPICH 4.0
  }
}

function mpif(lower, upper, words) {
  entry(lower, "mpif", words); entry(lower "_", "mpif", words); entry(lower "__", "mpif", words); entry(upper, "mpif", words)
}

function f08(beginning, end, words) {
  entry(beginning end, "f08", words)
  if (has_buf) entry(beginning "ts" end, "f08ts", words)
}

function word_list(words,   i, list) {
  for (i = 0; i < words; i++) list = list (i ? ", " : "") "Word w" i
  return list
}

function entry(symbol, binding, words,   i, pass, how) {
  if (part == "symbols") { print symbol; return }
  if (part == "door") { print "MARSHAL_DOOR(" entries++ ", " symbol ")"; return }
  for (i = 0; i < words; i++) pass = pass ", w" i
  entries++
  slot = "slot_of_" symbol
  if (does == "pass") how = "pass(" slot ", Call::" $1 ", Binding::" binding ", MARSHAL_CALLER"
  else if (does == "send") how = "pass_send<Sends_" $1 ", Binding::" binding ", " n ">(" slot ", Call::" $1 ", MARSHAL_CALLER"
  else if (does == "start") how = "pass_start(" slot ", Call::" $1 ", Binding::" binding ", MARSHAL_CALLER"
  else if (does == "collect") how = "pass_collective(" slot ", Call::" $1 ", Binding::" binding ", MARSHAL_CALLER, part_" $1
  else if (does == "broadcast") how = "pass_broadcast(" row ", " slot ", Binding::" binding ", MARSHAL_CALLER, part_" $1
  else if (does == "cells") how = "pass_on_cells(" row ", " slot ", Binding::" binding ", MARSHAL_CALLER, sends_" $1
  else if (does ~ /^quick/ && binding == "c") how = "act_quickly<Quick_" $1 ">(" row ", " slot ", MARSHAL_CALLER"
  else if (does ~ /^quick/ && n == 1 && "type" in place) how = "act_quickly_in_fortran<Quick_" $1 ", MPI_Datatype>(" row ", " slot ", Binding::" binding ", MARSHAL_CALLER"
  else how = "act(" row ", " slot ", Binding::" binding ", MARSHAL_CALLER"
  print "Slot " slot "{\"" symbol "\"};"
  tail = tail "extern \"C\" MARSHAL_ENTRY Word entry_" symbol "(" word_list(words) ") __asm__(\"" symbol "\");\n" \
    "extern \"C\" Word entry_" symbol "(" word_list(words) ") { return " how pass "); }\n"
}

END {
  if (failed) exit 1
  if (part == "calls") {
    print "};\n"
    print "inline constexpr std::size_t call_count = " count ";"
    print "inline constexpr const char* call_names[call_count] = {"
    for (i = 1; i <= count; i++) print "    \"MPI_" names[i] "\","
    print "};\n"
    print "inline const char* name_of(Call call) { return call_names[static_cast<std::size_t>(call)]; }"
    print "}  // namespace marshal"
  } else if (part == "actions") print "}  // namespace marshal::action"
  else if (part == "entries") print tail "}  // namespace marshal"
}
