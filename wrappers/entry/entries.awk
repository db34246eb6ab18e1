# Reads calls.table and writes the part that is asked for.
#   -v part=calls: the Call enumeration and the names (calls.h).
#   -v part=actions: the declarations of the actions (actions.h).
#   -v part=entries -v room=ROOM: the entry points of one room of the table (entries_ROOM.cc).
#   -v part=door: MARSHAL_DOOR(number, symbol) for each entry point (door_entries.inc). Give host_hooks.table after calls.table.
#   -v part=missing: MARSHAL_MISSING(...) for each function, MARSHAL_OLDER(...) for those that have an older one (missing_calls.inc).
#   -v part=symbols: the symbols, one a line (for the tests).
#   -v part=rows: the table with a row for each call, for the tests: no kinds with slashes, no actions.
#
# These globals hold the call that is worked on.
#   call: its name. is_large: it has large numbers. does: its second column.
#   is_removed, is_c_only, is_extension: its third column.
#   action, action_gets: the last column. names_action: the row has it.
#   arguments: their number. argument_names[i]: the name of number i, from 0 on.
#   place[NAME]: the number of an argument. kind[NAME]: its kind.
#   fortran_words: the number of words that Fortran passes, with ierror and the lengths of strings.

BEGIN {
  most_arguments = 13  # FortranArguments::most
  name_kinds()
  if (part == "calls") begin_calls()
  if (part == "actions") begin_actions()
  if (part == "entries") begin_entries()
  missing_count = 0
}

/^#/ || /^\/\// || NF == 0 { next }

# A row of host_hooks.table: an entry point in libmarshal.so that is no call.
/^MARSHAL_HOOK\(/ {
  sub(/\)$/, "", $2)
  write_door($2)
  next
}

/^\[[a-z_]+\]/ {
  in_room = substr($1, 2, length($1) - 2)
  if ($2 !~ /^(timed|sampled)$/ || NF > 2) fail("are the calls of " $1 " timed or sampled?")
  is_timed = $2 == "timed"
  if (part == "rows") print $1
  next
}

{
  given = $0
  name = $1
  read_row(given)
  if (in_room ~ /^(neighbours|collectives)$/) {
    sub(/^[A-Za-z_]+ +[a-z_]+ +[0-9.x]+/, "", given)
    sub(/ = .*/, "", given)  # the action is the blocking call's
    collective = does == "broadcast" ? "collect" : does
    read_row("I" tolower(name) " " collective " 3.0 " given " request:request_out")
    if (does == "pass") read_row(name "_init observe 4.0x " given " info:info request:request_out = set_up_without_data request")
    else read_row(name "_init " collective " 4.0x " given " info:info request:request_out")
  }
}

# Of one call, or of two where some numbers are large in the second.
function read_row(row) {
  read_one(row, 0)
  if (row ~ /\//) read_one(row, 1)
}

function read_one(row, large) {
  $0 = row
  read_call(large)
  read_arguments()
  calls[++call_count] = call
  timed[call_count] = is_timed
  makes_request[call_count] = kind["request"] == "request_out" && call !~ /_init/
  element_counts[call_count] = "{" word_of_elements() ", " true_or_false(is_large) "}"
  if (part == "calls") print "  " call ","
  if (part == "rows") print call, does, since resolved
  if (part == "actions" && has_action()) declare_action()
  if (part == "entries" && in_room == room) {
    write_descriptors()
    write_entry_points()
  }
  if (part ~ /^(door|missing|symbols)$/) write_entry_points()
}

END {
  if (failed) exit 1
  if (part == "calls") end_calls()
  if (part == "actions") print "}  // namespace marshal::action"
  if (part == "entries") print definitions "}  // namespace marshal"
}

function fail(text) {
  print FILENAME ":" FNR ": " text > "/dev/stderr"
  failed = 1
  exit 1
}

# Small words of C++.

function with_comma(list, item) { return list == "" ? item : list ", " item }
function true_or_false(condition) { return condition ? "true" : "false" }
function include(header) { print "#include \"" header "\"" }

# "Word w0, Word w1, Word w2"
function word_parameters(count,   i, list) {
  for (i = 0; i < count; i++) list = with_comma(list, "Word w" i)
  return list
}

# The frame around the rows.

function begin_file(what) {
  print "// Made from wrappers/entry/calls.table by entries.awk" what
  if (part != "entries") print "#pragma once"
}

function begin_calls() {
  begin_file(".")
  print "#include <cstddef>\n"
  print "namespace marshal {"
  print "enum class Call : unsigned short {"
}

function end_calls(   i) {
  print "};\n"
  print "inline constexpr std::size_t call_count = " call_count ";"
  print "inline constexpr const char* call_names[call_count] = {"
  for (i = 1; i <= call_count; i++) print "    \"MPI_" calls[i] "\","
  print "};\n"
  print "inline constexpr bool timed_calls[call_count] = {"
  for (i = 1; i <= call_count; i++) print "    " true_or_false(timed[i]) ","
  print "};\n"
  print "// True for calls that are timed each."
  print "constexpr bool is_timed(Call call) { return timed_calls[static_cast<std::size_t>(call)]; }"
  print "inline constexpr bool calls_that_make_requests[call_count] = {"
  for (i = 1; i <= call_count; i++) print "    " true_or_false(makes_request[i]) ","
  print "};\n"
  print "// True for nonblocking calls, of which each makes a request."
  print "constexpr bool makes_request(Call call) { return calls_that_make_requests[static_cast<std::size_t>(call)]; }\n"
  print "struct ElementCount {\n  int word;\n  bool is_large;\n};"
  print "inline constexpr ElementCount element_counts[call_count] = {"
  for (i = 1; i <= call_count; i++) print "    " element_counts[i] ","
  print "};\n"
  print "// The word that says how many elements a send, a pack or a local reduction moves; of other calls -1."
  print "constexpr ElementCount element_count(Call call) { return element_counts[static_cast<std::size_t>(call)]; }\n"
  print "inline const char* name_of(Call call) { return call_names[static_cast<std::size_t>(call)]; }"
  print "}  // namespace marshal"
}

function begin_actions() {
  begin_file(": what each observed call does around the host's own function.")
  print "#include <mpi.h>\n"
  include("host/pmpi.h")
  include("wrappers/entry/host_call.h")
  print "\nnamespace marshal::action {"
}

function begin_entries() {
  begin_file(".")
  include("wrappers/entry/actions.h")
  include("wrappers/entry/enter.h")
  if (room ~ /^(collectives|neighbours)$/) include("wrappers/entry/count_collectives.h")
  if (room ~ /^(messages|requests|one_sided)$/) include("wrappers/entry/count_sends.h")
  if (room == "life_cycle") include("wrappers/entry/control.h")
  if (room == "requests") include("wrappers/entry/count_requests.h")
  if (room ~ /^(datatypes|groups|packing|requests)$/) include("wrappers/actions/quick_" room ".h")
  if (room ~ /^(collectives|messages|neighbours|requests)$/) include("wrappers/entry/by_calls.h")
  print "\n#define MARSHAL_CALLER __builtin_return_address(0)"
  print "\nnamespace marshal {\nnamespace {"
  definitions = "}  // namespace\n"  # of the entry points, which stand behind all descriptors
}

# Reading a row.

# c_type[KIND]: an argument of this kind in C. form[KIND]: its Kind (row.h). letter[KINDS]: what missing_call.h calls it.
function name_kinds(   i, count, handles, lengths) {
  count = split("comm group session win file request info errhandler op", handles)
  for (i = 1; i <= count; i++) name_handle(handles[i], "MPI_" toupper(substr(handles[i], 1, 1)) substr(handles[i], 2))
  name_handle("type", "MPI_Datatype")
  c_type["types"] = "const MPI_Datatype*"
  c_type["int"] = c_type["logical"] = "int"
  c_type["ints"] = c_type["logicals"] = "const int*"
  c_type["int_out"] = c_type["int_io"] = c_type["ints_out"] = c_type["logicals_out"] = c_type["argc"] = "int*"
  c_type["aint"] = "MPI_Aint"
  c_type["count"] = "MPI_Count"
  c_type["count_out"] = c_type["count_io"] = "MPI_Count*"
  c_type["buf"] = c_type["ptr"] = c_type["cptr"] = "void*"
  # Arrays of large numbers, by their length.
  count = split("peers members sources destinations parts", lengths)
  for (i = 1; i <= count; i++) { c_type[lengths[i]] = "void*"; letter["ints/" lengths[i]] = substr("pqidk", i, 1) }
  language["c"] = "c"; language["mpif"] = language["f08"] = "fortran"; language["f08ts"] = "descriptors"
  letter["int/count"] = letter["int/aint"] = "n"
  letter["int_out/count_out"] = "o"
  letter["int_io/count_io"] = "u"
  letter["ptr/ptr"] = "x"
  letter["comm"] = "c"; letter["win"] = "w"; letter["file"] = "f"; letter["session"] = "s"
  letter["request_out"] = "t"; letter["op_out"] = "O"
  c_type["str"] = "const char*"
  c_type["argv"] = "char***"
  for (i in c_type)
    if (!(i in form)) form[i] = "{Kind::Form::address}"
  form["int"] = form["logical"] = "{Kind::Form::int_number}"
  form["aint"] = "{Kind::Form::aint_number}"
  form["count"] = "{Kind::Form::count_number}"
  form["buf"] = "{Kind::Form::buffer}"
  form["errhandler"] = form["str"] = "{Kind::Form::hidden}"
  form["argc"] = form["argv"] = "{Kind::Form::only_c}"
}

function name_handle(kind, type,   handle) {
  c_type[kind] = type
  c_type[kind "_out"] = c_type[kind "_io"] = type "*"
  handle = "{Kind::Form::handle, HandleType::" kind
  form[kind] = handle ", false, true}"
  form[kind "_out"] = handle ", true, false}"
  form[kind "_io"] = handle ", true, true}"
}

function read_call(large) {
  call = $1; does = $2; since = $3
  action = tolower(call)
  is_large = large || sub(/_c$/, "", action)
  if (large) { call = call "_c"; since = "4.0" }
  is_c_only = sub(/c$/, "", since)
  is_extension = sub(/x$/, "", since)
  is_removed = sub(/-.*/, "", since)
  if (in_room == "") fail("a call outside of all [parts]")
  if (does !~ /^(pass|control|send|start|complete|collect|broadcast|observe|replace|quick|quick_at|quick_end)$/)
    fail("what is '" does "'? pass, control, send, start, complete, collect, broadcast, observe, replace, quick, quick_at or quick_end")
  if (since !~ /^[0-9]\.[0-9]$/) fail("no MPI version: " since)
  if (call in seen) fail(call " stands twice")
  seen[call] = 1
}

# Beside the globals of all calls it sets kind_list, kind_of[i] (as kind[NAME]) and resolved (names and kinds). word_types[i] are the words of an
# entry point as arguments in C, parameter_types[i] are those of an action.
function read_arguments(   i, c_only, strings) {
  split("", place); split("", kind); split("", kind_count)
  kind_list = resolved = action_gets = letters = ""
  arguments = 0
  for (i = 4; i <= NF && $i != "="; i++) read_argument($i)
  names_action = i < NF
  if (names_action) read_action(i + 1)
  else for (i = 0; i < arguments; i++) action_gets = action_gets " " i
  c_only = kind_count["argc"] + kind_count["argv"]
  strings = kind_count["str"]
  fortran_words = arguments - c_only + 1 + strings
  if (arguments > most_arguments || fortran_words > most_arguments + 4) fail("more arguments than enter.cc has room for")
}

function read_argument(name_and_kinds,   name, its_kind, kinds, both) {
  both = split(substr(name_and_kinds, index(name_and_kinds, ":") + 1), kinds, "/")
  name = substr(name_and_kinds, 1, index(name_and_kinds, ":") - 1)
  its_kind = kinds[both == 2 && is_large ? 2 : 1]
  if (!(its_kind in c_type)) fail("no kind known in '" name_and_kinds "'")
  resolved = resolved " " name ":" its_kind
  kind_list = with_comma(kind_list, "Kind" form[its_kind])
  letters = letters letter_of(name, is_large ? kinds[1] (both == 2 ? "/" kinds[2] : "") : its_kind)
  word_types[arguments] = c_type[its_kind]
  kind_of[arguments] = its_kind
  parameter_types[arguments] = kinds[1] "/" kinds[2] == "int/count" ? c_type["count"] : c_type[its_kind]
  place[name] = arguments++
  kind[name] = its_kind
  kind_count[its_kind]++
}

# How missing_call.h tells the arguments of a call apart.
function letter_of(name, kinds) {
  if (kinds ~ /^(argc|argv)$/) return "-"
  if (name == "sendbuf") return "b"
  if (name == "recvbuf") return "B"
  if (name == "root") return tolower(call) ~ /scatter/ ? "R" : "r"
  if (name == "ndims") return "m"
  if (name == "count" && kinds == "int/count") return "l"
  if (name == "errhandler" && call == "Session_init") return "e"
  return kinds in letter ? letter[kinds] : "."
}

function read_action(i) {
  for (action = $(i++); i <= NF; i++) {
    if (!($i in place)) fail("no argument " $i)
    action_gets = action_gets " " place[$i]
  }
}

# Questions about the row.

function goes_by_calls() { return names_action && does ~ /^(pass|send|collect|complete)$/ }
function has_action() { return does ~ /^(observe|replace|broadcast|quick)/ || goes_by_calls() }
function is_quick() { return does ~ /^quick/ }
function place_or_none(name) { return name in place ? place[name] : -1 }
function first_of(names,   i, count, list) {
  count = split(names, list)
  for (i = 1; i < count && !(list[i] in place); i++) continue
  return list[i]
}
function word_of_elements() {
  return does == "send" || in_room == "packing" && kind_count["buf"] > 0 ? place_or_none(first_of("count incount outcount")) : -1
}
function is_hot(binding) {
  if (in_room == "files" || is_large) return does == "send" && binding == "c"
  return binding == "c" || in_room ~ /^(messages|requests)$/
}
function persistent_request() { return call ~ /_init/ ? place["request"] : -1 }

# The descriptors of a call, which its entry points hand to the functions of enter.h, count_sends.h and count_collectives.h.

function write_descriptors() {
  if (does == "send") write_send_part()
  if (does ~ /^(collect|broadcast)$/) write_collective_part()
  if (has_action()) write_row()
  if (is_quick()) write_quick()
}

# ierror comes behind the arguments.
function write_send_part(   where, copies, operation) {
  where = "comm" in place ? "comm" : "win"
  if (!(where in place) || !("dest" in place) || !("type" in place)) fail("a send has the arguments comm or win, dest, and type")
  copies = 1 + ("result" in place) + ("compare" in place)
  operation = "result" in place ? place_or_none("op") : -1
  print "constexpr SendPart send_" call "{HandleOf::" where ", " place[where] ", " place["dest"] ", " place["type"] ", " \
    place_or_none("count") ", " copies ", " operation ", " true_or_false(is_large) ", " arguments "};"
}

# ierror comes behind the arguments.
function write_collective_part(   counts, types, is_root_only) {
  counts = first_of("counts each count sendcounts sendcount")
  types = first_of("types type sendtypes sendtype")
  is_root_only = tolower(call) ~ /gather|^i?scatter/ && "root" in place
  print "constexpr CollectivePart part_" call "{" place[counts] ", " place[types] ", " place["comm"] ", " place_or_none("root") ", " \
    persistent_request() ", " true_or_false(counts ~ /counts$/) ", " true_or_false(types ~ /types$/) ", " \
    true_or_false(counts == "each") ", " true_or_false(is_root_only) ", " true_or_false(in_room == "neighbours") ", " \
    true_or_false(is_large) ", " arguments "};"
}

# An action is declared once for all calls that it has.
function declare_action(   i, count, gets, list) {
  count = split(action_gets, gets)
  for (i = 1; i <= count; i++) list = list ", " parameter_types[gets[i]]
  if (!declared[action list]++) print "int " action "(HostCall& host" list ");"
}

function write_row(   i, count, gets, list) {
  count = split(action_gets, gets)
  for (i = 1; i <= count; i++) list = list ", from_word<" word_types[gets[i]] ">(words[" gets[i] "])"
  if (arguments > 0) print "constexpr Kind kinds_" call "[] = {" kind_list "};"
  print "constexpr Row row_" call "{Call::" call ", " (arguments > 0 ? "kinds_" call : "{}") ", " \
    "[](HostCall& host, [[maybe_unused]] const Word* words) { return action::" action "(host" list "); }};"
}

function write_quick(   i, base, storage, words, more) {
  base = does == "quick_end" ? " : action::Ending_" tolower(call) : ""
  storage = does == "quick_end" ? "" : "static "
  for (i = 0; i < arguments; i++) words = with_comma(words, "from_word<" word_types[i] ">(w" i ")")
  more = does == "quick_end" ? ", *this" : does == "quick_at" ? ", caller" : ""
  print "struct Quick_" call base " {"
  print "  MARSHAL_ALWAYS_INLINE " storage "Quickly run(const void*" (does == "quick_at" ? " caller" : "") ", " \
    word_parameters(arguments) ") noexcept { return action::quick_" action "(" words more "); }"
  print "};"
}

# The entry points of a call: one in C, and one for each binding of Fortran, with an alias for each further spelling.

function write_entry_points() {
  write_spellings("MPI_" call)
  if (is_extension) write_spellings("MPIX_" call)
}

function write_spellings(symbol,   lower, upper) {
  # MPI_Pcontrol has any arguments in C, and in Fortran an ierror on some hosts only: all registers of integers are passed on.
  if (does == "control") fortran_words = 6
  write_entry(symbol, "c", does == "control" ? fortran_words : arguments)
  lower = tolower(symbol)
  if (is_large) {
    sub(/_c$/, "", lower)
    if (is_removed || is_c_only) return
    write_f08(lower "_c_f08_ " lower "_f08_large_", lower "_c_f08ts_ " lower "_f08ts_large_")  # the second: MPICH 4.0
    return
  }
  upper = toupper(symbol)
  write_mpif(lower, upper)
  if (kind_count["cptr"] > 0) write_mpif(lower "_cptr", upper "_CPTR")
  if (!is_removed && !is_c_only) write_f08(lower "_f08_", lower "_f08ts_")
}

function write_mpif(lower, upper) { write_entry(lower "_ " lower " " lower "__ " upper, "mpif", fortran_words) }

function write_f08(spellings, spellings_ts) {
  write_entry(spellings, "f08", fortran_words)
  if (kind_count["buf"] > 0) write_entry(spellings_ts, "f08ts", fortran_words)
}

# The same with smaller numbers, or nothing.
function older(symbol) {
  if (symbol ~ /_c_f08/ && is_large) sub(/_c_f08/, "_f08", symbol)
  else if (symbol ~ /^MPI_.*_c$/ && substr(call, 1, length(call) - 2) in seen) sub(/_c$/, "", symbol)
  else return ""
  return symbol
}

function write_missing(names, symbol, binding,   passed, kind, kinds, words, older_symbol) {
  passed = letters
  gsub(/-/, binding == "c" ? "." : "", passed)
  words = length(passed) + (binding != "c")
  for (kinds = "fwsce."; kinds != "" && !index(passed, kind = substr(kinds, 1, 1)); kinds = substr(kinds, 2)) continue
  older_symbol = older(symbol)
  print (older_symbol == "" ? "MARSHAL_MISSING(" : "MARSHAL_OLDER(" missing_count ", \"" older_symbol "\", ") "\"" names "\", " \
    language[binding] ", \"" passed "\", " words ", '" (kind == "" ? "." : kind) "', " (kind ~ /^[fwsce]$/ ? index(passed, kind) - 1 : -1) ")"
  missing_count++
}

function write_door(symbol) { print "MARSHAL_DOOR(" entry_count++ ", " symbol ")" }

# `spellings`: names of the same function, separated by blanks. All but the first are aliases of it.
function write_entry(spellings, binding, words,   i, count, symbols, names, passed, words_passed, parameter_list) {
  count = split(spellings, symbols)
  for (i = 1; i <= count; i++) {
    if (part == "symbols") print symbols[i]
    if (part == "door") write_door(symbols[i])
    names = names symbols[i] "\\0"
  }
  if (part == "missing") write_missing(names, symbols[1], binding)
  if (part != "entries") return
  print "Slot slot_of_" symbols[1] "{\"" names "\"};"
  for (i = 0; i < words; i++) words_passed = words_passed ", w" i
  passed = way_in("slot_of_" symbols[1], binding) words_passed ")"
  if (goes_by_calls()) passed = by_calls("slot_of_" symbols[1], binding, words_passed) " : " passed
  parameter_list = word_parameters(words)
  for (i = 1; i <= count; i++)
    definitions = definitions "extern \"C\" MARSHAL_ENTRY Word entry_" symbols[i] "(" parameter_list ") __asm__(\"" symbols[i] "\")" \
      (i > 1 ? " __attribute__((alias(\"" symbols[1] "\")))" : "") ";\n"
  definitions = definitions "extern \"C\" Word entry_" symbols[1] "(" parameter_list ") { return " passed "; }\n"
}

function call_place(binding) {
  return "CallPlace{Call::" call ", Binding::" binding ", MARSHAL_CALLER, " place_or_none("comm") "}"
}

# The question whether the call goes by calls, and what runs then (by_calls.h). `words`: ", w0, w1". A call that passes is a receive.
function by_calls(slot, binding, words,   i, types, asks, way, part) {
  asks = "may_end_extended("
  for (i = 0; i < arguments; i++) {
    if (kind_of[i] ~ /^types?$/) asks = "goes_by_calls("
    if (kind_of[i] == "type" && kind_of[i - 1] ~ /^(int|count)$/) types = with_comma(types, i)
  }
  types = types == "" ? "-1, -1" : types ~ /,/ ? types : types ", -1"
  types = asks ~ /may/ ? "" : ", TypeWords{" types ", " true_or_false(does == "pass") ", " true_or_false(is_large) "}"
  part = does == "send" ? ", send_" call : does == "collect" ? ", part_" call : ""
  return asks call_place(binding) types words ") ? " does "_by_calls(" slot ", " call_place(binding) \
    ", row_" call part words ")"
}

# The function of these headers that an entry point runs, and its arguments before the words of the call.
function way_in(slot, binding,   rest, by_place, by_row) {
  rest = ", Binding::" binding ", MARSHAL_CALLER"
  by_place = slot ", " call_place(binding)
  by_row = "row_" call ", " slot rest
  if (does == "pass") return (is_hot(binding) ? "pass(" : "pass_apart(") by_place
  if (does == "control") return "pass_control(" by_place
  if (does == "start") return "pass_start(" by_place
  if (does == "complete") return "pass_complete(" by_place
  if (does == "collect") return "pass_collective(" by_place ", part_" call
  if (does == "broadcast") return "pass_broadcast(" by_place ", row_" call ", part_" call
  if (does == "send") return (is_hot(binding) ? "pass_send(" : "pass_send_apart(") by_place ", send_" call
  if (is_quick() && binding == "c") return "act_quickly<Quick_" call ">(row_" call ", " slot ", MARSHAL_CALLER"
  if (is_quick() && arguments == 1 && "type" in place) return "act_quickly_in_fortran<Quick_" call ", MPI_Datatype>(" by_row
  return "act(" by_row
}
