# Reads calls.table and writes one of three things: -v part=calls    the Call enumeration and the names (calls.h)
#                                                   -v part=actions  the declarations of the actions (actions.h)
#                                                   -v part=entries  every entry point of both hosts (entries.cc)
#                                                   -v part=symbols  the symbols, one a line: HOST-FILTER SYMBOL (for the tests)

function camel(word,   i, k, parts, text) {  # comm_out -> CommOut
  k = split(word, parts, "_")
  for (i = 1; i <= k; i++) text = text toupper(substr(parts[i], 1, 1)) substr(parts[i], 2)
  return text
}
function fail(text) { print FILENAME ":" FNR ": " text > "/dev/stderr"; failed = 1; exit 1 }

BEGIN {
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
  if (part == "calls") {
    print "// Made from wrappers/calls.table by entries.awk."
    print "#pragma once"
    print "#include <cstddef>\n"
    print "namespace marshal {"
    print "enum class Call : unsigned short {"
  } else if (part == "actions") {
    print "// Made from wrappers/calls.table by entries.awk: what each observed call does around the host's own function."
    print "#pragma once"
    print "#include <mpi.h>\n"
    print "#include \"wrappers/host_call.h\"\n"
    print "namespace marshal::action {"
  } else if (part == "entries") {
    print "// Made from wrappers/calls.table by entries.awk."
    print "#include \"wrappers/actions.h\""
    print "#include \"wrappers/enter.h\""
    print "#include \"wrappers/quick_packing.h\"\n"
    print "namespace marshal {"
  }
}

/^#/ || NF == 0 { next }

{
  name = $1; does = $2; since = $3; only_c = sub(/c$/, "", since); removed = sub(/-.*/, "", since)
  if (does !~ /^(pass|observe|replace|quick|cells)$/) fail("what is '" does "'? pass, observe, replace, quick or cells")
  if (since !~ /^[0-9]\.[0-9]$/) fail("no MPI version: " since)
  if (name in seen) fail(name " stands twice"); seen[name] = 1
  n = 0; fortran_n = 0; strings = 0; has_buf = 0; has_cptr = 0; kinds = ""; parameters = ""; arguments = ""
  for (i = 4; i <= NF; i++) {
    if (split($i, a, ":") != 2 || !(a[2] in cpp)) fail("no kind known in '" $i "'")
    n++
    kinds = kinds ", kind::" camel(a[2])
    parameters = parameters ", " cpp[a[2]] " " a[1]
    arguments = arguments ", " a[1]
    if (a[2] != "argc" && a[2] != "argv") fortran_n++
    if (a[2] == "str") strings++
    if (a[2] == "buf") has_buf = 1
    if (a[2] == "cptr") has_cptr = 1
  }
  names[++count] = name
  if (part == "calls") { print "  " name ","; next }
  version = substr(since, 1, 1) * 10 + substr(since, 3, 1)
  open_guard(version > 31 ? "MPI_VERSION * 10 + MPI_SUBVERSION >= " version : "", version > 31 ? "mpich" : "all")
  if (part == "actions") {
    if (does ~ /observe|replace|quick/) print "int " tolower(name) "(HostCall& host" parameters ");"
    close_guard(); next
  }
  if (part == "entries") {
    row = "Row_" name
    print "struct " row " {"
    print "  static constexpr Call call = Call::" name ";"
    print "  using Kinds = kind::List<" substr(kinds, 3) ">;"
    print "  static constexpr auto action = " (does ~ /pass|cells/ ? "nullptr" : "&action::" tolower(name)) ";"
    if (does == "quick") {
      print "  [[gnu::always_inline]] static Quickly quick(" substr(parameters, 3) ") noexcept {"
      print "    return action::quick_" tolower(name) "(" substr(arguments, 3) ");"
      print "  }"
    }
    print "};\n"
  }
  entry("MPI_" name, "c", n)
  words = fortran_n + 1 + strings
  large = sub(/_c$/, "", name)
  lower = "mpi_" tolower(name); upper = toupper(lower)
  if (!large) {
    mpif(lower, upper, words)
    if (has_cptr) { only("openmpi"); mpif(lower "_cptr", upper "_CPTR", words); done() }
  }
  if (!removed && !only_c) {
    f08 = large ? "_f08_large_" : "_f08_"; f08ts = large ? "_f08ts_large_" : "_f08ts_"
    if (has_buf) {
      only("openmpi"); entry(lower f08, "f08", words); done()
      only("mpich"); entry(lower f08ts, "f08ts", words); done()
    } else entry(lower f08, "f08", words)
  }
  close_guard()
}

function mpif(lower, upper, words) {
  entry(lower, "mpif", words); entry(lower "_", "mpif", words); entry(lower "__", "mpif", words); entry(upper, "mpif", words)
}
function open_guard(condition, hosts) { guard = condition; where = hosts; if (part != "symbols" && guard != "") print "#if " guard }
function close_guard() { if (part != "symbols" && guard != "") print "#endif"; if (part == "entries") print "" }
function only(host) { outer = where; where = (where == "all" || where == host) ? host : "none"; if (part == "entries") print "#ifdef MARSHAL_HOST_" toupper(host) }
function done() { where = outer; if (part == "entries") print "#endif" }

function entry(symbol, binding, words,   i, list, pass) {
  if (part == "symbols") { if (where != "none") print where, symbol; return }
  for (i = 0; i < words; i++) { list = list (i ? ", " : "") "Word w" i; pass = pass ", w" i }
  entries++
  print "static Slot slot_" entries "{\"" symbol "\"};"
  print "extern \"C\" MARSHAL_ENTRY Word entry_" entries "(" list ") __asm__(\"" symbol "\");"
  print "extern \"C\" Word entry_" entries "(" list ") { return " (does == "cells" ? "enter_on_cells" : "enter") "<" row ", Binding::" binding ">(slot_" entries ", __builtin_return_address(0)" pass "); }"
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
  else if (part == "entries") print "}  // namespace marshal"
}
