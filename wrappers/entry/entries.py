#!/usr/bin/env python3
"""Reads calls.table and writes the part that is asked for: entries.py PART TABLE [ROOM | host_hooks.table]

  calls          the Call enumeration and the names (calls.h)
  actions        the declarations of the actions (actions.h)
  entries ROOM   the entry points of one [part] of the table (entries_ROOM.cc)
  door HOOKS     MARSHAL_DOOR(number, symbol) for each entry point, then for each row of host_hooks.table (door_entries.inc)
  missing        MARSHAL_MISSING(…) for each function, MARSHAL_OLDER(…) for those that have an older one (missing_calls.inc)
  symbols        the symbols, one a line (for the tests)
  rows           the table with a row for each call, for the tests: no kinds with slashes, no actions
"""
import re
import sys

MOST_ARGUMENTS = 13  # FortranArguments::most
WAYS = "pass control send start complete collect broadcast exchange observe replace quick quick_at quick_end".split()
LANGUAGE = {"c": "c", "mpif": "fortran", "f08": "fortran", "f08ts": "descriptors"}


class Kinds:
    """What an argument of a kind is: its type in C, its Kind (row.h), and the letter by which missing_call.h knows it."""

    def __init__(self):
        self.c_type, self.form, self.letter = {}, {}, {}
        for kind in "comm group session win file request info errhandler op type".split():
            self.handle(kind, "MPI_Datatype" if kind == "type" else "MPI_" + kind.capitalize())
        types = {"types": "const MPI_Datatype*", "aint": "MPI_Aint", "count": "MPI_Count", "str": "const char*", "argv": "char***"}
        types.update(dict.fromkeys(("int", "logical"), "int"), **dict.fromkeys(("ints", "logicals"), "const int*"))
        types.update(dict.fromkeys(("int_out", "int_io", "ints_out", "logicals_out", "argc"), "int*"))
        types.update(dict.fromkeys(("count_out", "count_io"), "MPI_Count*"), **dict.fromkeys(("buf", "ptr", "cptr"), "void*"))
        # Arrays of large numbers, by their length.
        for length, letter in zip("peers members sources destinations parts".split(), "pqidk"):
            types[length] = "void*"
            self.letter["ints/" + length] = letter
        self.c_type.update(types)
        for kind in types:
            self.form[kind] = "{Kind::Form::address}"
        for form, kinds in {"int_number": "int logical", "aint_number": "aint", "count_number": "count", "buffer": "buf",
                            "hidden": "errhandler str", "only_c": "argc argv"}.items():
            for kind in kinds.split():
                self.form[kind] = "{Kind::Form::" + form + "}"
        self.letter.update({"int/count": "n", "int/aint": "n", "int_out/count_out": "o", "int_io/count_io": "u", "ptr/ptr": "x",
                            "comm": "c", "win": "w", "file": "f", "session": "s", "request_out": "t", "op_out": "O"})

    def handle(self, kind, c_type):
        for ending, is_out, is_in in (("", False, True), ("_out", True, False), ("_io", True, True)):
            self.c_type[kind + ending] = c_type + ("*" if ending else "")
            self.form[kind + ending] = f"{{Kind::Form::handle, HandleType::{kind}, {text_of(is_out)}, {text_of(is_in)}}}"


def text_of(condition):
    return "true" if condition else "false"


def fail(row, what):
    sys.exit(f"calls.table: {row}: {what}")


class Call:
    """A row, or the half of it where some numbers are large."""

    def __init__(self, row, room, is_timed, is_large, kinds):
        words = row.split()
        self.row, self.room, self.is_timed, self.is_large, self.kinds = row, room, is_timed, is_large, kinds
        self.name, self.does, since = words[:3]
        action = self.name.lower()
        if is_large:
            self.name, since = self.name + "_c", "4.0"
        elif action.endswith("_c"):
            action, self.is_large = action[:-2], True
        self.is_c_only, since = since.endswith("c"), re.sub("c$", "", since)
        self.is_extension, since = since.endswith("x"), re.sub("x$", "", since)
        self.is_removed, self.since = "-" in since, re.sub("-.*", "", since)
        if self.does not in WAYS:
            fail(row, f"what is '{self.does}'? " + ", ".join(WAYS[:-1]) + " or " + WAYS[-1])
        if not re.fullmatch(r"[0-9]\.[0-9]", self.since):
            fail(row, f"no MPI version: {self.since}")
        self.read_arguments(words[3:], action)

    def read_arguments(self, words, action):
        self.names_action = "=" in words
        given = words[:words.index("=")] if self.names_action else words
        self.names, self.kind_of, self.parameter_types, letters = [], [], [], ""
        for word in given:
            name, _, both = word.partition(":")
            pair = both.split("/")
            kind = pair[len(pair) - 1 if self.is_large else 0]
            if kind not in self.kinds.c_type:
                fail(self.row, f"no kind known in '{word}'")
            self.names.append(name)
            self.kind_of.append(kind)
            self.parameter_types.append(self.kinds.c_type["count" if pair == ["int", "count"] else kind])
            letters += self.letter_of(name, both if self.is_large else kind)
        self.letters = letters
        self.word_types = [self.kinds.c_type[kind] for kind in self.kind_of]
        self.action, self.action_gets = action, range(len(given))
        if self.names_action:
            self.action, *gets = words[len(given) + 1:]
            for name in set(gets) - set(self.names):
                fail(self.row, f"no argument {name}")
            self.action_gets = [self.names.index(name) for name in gets]
        # ierror comes behind the arguments, and the lengths of strings.
        self.fortran_words = len(given) - self.count_of("argc", "argv") + 1 + self.count_of("str")
        if len(given) > MOST_ARGUMENTS or self.fortran_words > MOST_ARGUMENTS + 4:
            fail(self.row, "more arguments than enter.cc has room for")
        if self.does == "control":  # any arguments in C; in Fortran an ierror on some hosts only: all registers of integers
            self.fortran_words = 6

    def letter_of(self, name, kind):
        """How missing_call.h tells the arguments of a call apart."""
        if kind in ("argc", "argv"):
            return "-"
        if name == "root":
            return "R" if "scatter" in self.name.lower() else "r"
        if (name, kind) == ("count", "int/count"):
            return "l"
        if (name, self.name) == ("errhandler", "Session_init"):
            return "e"
        return {"sendbuf": "b", "recvbuf": "B", "ndims": "m"}.get(name) or self.kinds.letter.get(kind, ".")

    # Questions about the row.

    def count_of(self, *kinds):
        return sum(kind in kinds for kind in self.kind_of)

    def place(self, *names):
        """Of the first of the names that is an argument's; -1: of none."""
        return next((self.names.index(name) for name in names if name in self.names), -1)

    def has(self, name):
        return name in self.names

    def goes_by_calls(self):
        return self.names_action and self.does in ("pass", "send", "collect", "complete")

    def has_action(self):
        return self.does in ("observe", "replace", "broadcast", "exchange") or self.is_quick() or self.goes_by_calls()

    def is_quick(self):
        return self.does.startswith("quick")

    def is_hot(self, binding):
        if self.room == "files" or self.is_large:
            return self.does == "send" and binding == "c"
        return binding == "c" or self.room in ("messages", "requests")

    def makes_request(self):
        return ("request", "request_out") in zip(self.names, self.kind_of) and "_init" not in self.name

    def is_numbered(self):
        """All members of its communicator make it: the how-many-eth such call this is, all of them know."""
        constructors = self.is_timed and self.room in ("communicators", "topologies", "windows_and_files")
        collective = self.room in ("collectives", "neighbours") or constructors and self.name != "Comm_create_group"
        return collective and ("comm", "comm") in zip(self.names, self.kind_of)

    def ends_together(self):
        return re.fullmatch("(Barrier|Allreduce|Allgatherv?|Alltoall[vw]?|Reduce_scatter(_block)?)(_c)?", self.name) is not None

    def together_words(self):
        """Of a call that no process leaves before the last has entered, if each gets something of all: its counts, and their one type; -1: it has none."""
        if not self.ends_together():
            return "{-1, -1, false, false}"
        counts = self.place("counts", "each", "count")
        return f"{{{counts}, {self.place('type')}, {text_of(counts >= 0 and self.names[counts] == 'counts')}, {text_of(self.is_large)}}}"

    def peer_words(self):
        has_peer = self.room in ("messages", "requests", "collectives") or self.has("color")
        return (self.place("source", "root", "dest", "color"), self.place("recvtag", "tag", "sendtag")) if has_peer else (-1, -1)

    def is_watched_by(self):
        """Bits for what a file of where all stand says of the call: its communicator, its number there, its peer and its tag; and 16 if it ends together."""
        peer, tag = self.peer_words()
        return (("comm", "comm") in zip(self.names, self.kind_of)) + 2 * self.is_numbered() + 4 * (peer >= 0 and not self.has("color")) + 8 * (tag >= 0) + 16 * self.ends_together()

    def answer_word(self):
        return -1 if self.is_timed else self.place("flag", "done")

    def word_of_elements(self):
        counts = self.does == "send" or self.room == "packing" and self.count_of("buf") > 0
        return self.place("count", "incount", "outcount") if counts else -1

    def arguments_of(self, word):
        return [f"from_word<{c_type}>({word.format(i)})" for i, c_type in enumerate(self.word_types)]

    def action_parameters(self):
        return "".join(", " + self.parameter_types[i] for i in self.action_gets)

    # The symbols of its entry points: (binding, spellings of one function, words).

    def entries(self):
        for symbol in ["MPI_" + self.name] + ["MPIX_" + self.name] * self.is_extension:
            yield "c", [symbol], self.fortran_words if self.does == "control" else len(self.names)
            lower = symbol.lower()
            f08, f08ts = [lower + "_f08_"], [lower + "_f08ts_"]
            if self.is_large:
                lower = re.sub("_c$", "", lower)
                f08 = [lower + "_c_f08_", lower + "_f08_large_"]
                f08ts = [lower + "_c_f08ts_", lower + "_f08ts_large_"]  # the second: MPICH 4.0
            else:
                for ending in [""] + ["_cptr"] * ("cptr" in self.kind_of):
                    name = lower + ending
                    yield "mpif", [name + "_", name, name + "__", name.upper()], self.fortran_words
            if not self.is_removed and not self.is_c_only:
                yield "f08", f08, self.fortran_words
                if "buf" in self.kind_of:
                    yield "f08ts", f08ts, self.fortran_words


def read_table(path):
    """The calls, and the rows that name rooms: ("[messages]", None) or (None, call)."""
    kinds, seen, room, is_timed = Kinds(), set(), "", False

    def calls_of(row):  # of one call, or of two where some numbers are large in the second
        for is_large in [False] + [True] * ("/" in row):
            call = Call(row, room, is_timed, is_large, kinds)
            if call.name in seen:
                fail(row, call.name + " stands twice")
            seen.add(call.name)
            yield None, call

    with open(path, encoding="utf-8") as rows:
        for row in rows:
            words = row.split()
            if not words or row.startswith(("#", "//")):
                continue
            if re.match(r"\[[a-z_]+\]", row):
                if len(words) != 2 or words[1] not in ("timed", "sampled"):
                    fail(row, f"are the calls of {words[0]} timed or sampled?")
                room, is_timed = words[0][1:-1], words[1] == "timed"
                yield words[0], None
                continue
            if not room:
                fail(row, "a call outside of all [parts]")
            yield from calls_of(row)
            if room in ("neighbours", "collectives"):
                name, does, _, *rest = words
                arguments = " ".join(rest[:rest.index("=")] if "=" in rest else rest)  # the action is the blocking call's
                collective = "collect" if does in ("broadcast", "exchange") else does
                yield from calls_of(f"I{name.lower()} {collective} 3.0 {arguments} request:request_out")
                does, action = ("observe", " = set_up_without_data request") if does == "pass" else (collective, "")
                yield from calls_of(f"{name}_init {does} 4.0x {arguments} info:info request:request_out{action}")


# What is written for one call.


def descriptors(call):
    """Of a call: what its entry points hand to the functions of enter.h, count_sends.h and count_collectives.h."""
    if call.does == "send":
        where = "comm" if call.has("comm") else "win"
        if not all(map(call.has, (where, "dest", "type"))):
            fail(call.row, "a send has the arguments comm or win, dest, and type")
        copies = 1 + call.has("result") + call.has("compare")
        operation = call.place("op") if call.has("result") else -1
        yield (f"constexpr SendPart send_{call.name}{{HandleOf::{where}, {call.place(where)}, {call.place('dest')}, {call.place('type')}, "
               f"{call.place('count')}, {copies}, {operation}, {text_of(call.is_large)}, {len(call.names)}}};")
    if call.does in ("collect", "broadcast", "exchange"):
        counts = call.place("counts", "each", "count", "sendcounts", "sendcount")
        types = call.place("types", "type", "sendtypes", "sendtype")
        is_root_only = call.has("root") and re.search("gather|^i?scatter", call.name.lower()) is not None
        persistent = call.place("request") if "_init" in call.name else -1
        numbers = counts, types, call.place("comm"), call.place("root"), persistent
        answers = (call.names[counts].endswith("counts"), call.names[types].endswith("types"), call.names[counts] == "each", is_root_only,
                   call.room == "neighbours", call.is_large)
        yield f"constexpr CollectivePart part_{call.name}{{{', '.join(map(str, numbers))}, {', '.join(map(text_of, answers))}, {len(call.names)}}};"
    if call.has_action():
        words = call.arguments_of("words[{}]")
        passed = "".join(", " + words[i] for i in call.action_gets)
        if call.names:
            yield f"constexpr Kind kinds_{call.name}[] = {{{', '.join('Kind' + call.kinds.form[kind] for kind in call.kind_of)}}};"
        yield (f"constexpr CallRow row_{call.name}{{Call::{call.name}, {'kinds_' + call.name if call.names else '{}'}, [](HostCall& host, "
               f"[[maybe_unused]] const Word* words) {{ return action::{call.action}(host{passed}); }}}};")
    if call.goes_by_calls() and call.count_of("type", "types") > 0:
        yield f"[[maybe_unused]] constexpr TypeWords types_{call.name}{type_words(call)[len('TypeWords'):]};"
    if call.is_quick():
        base, storage, more = {"quick_end": (f" : action::Ending_{call.name.lower()}", "", ", *this"), "quick_at": ("", "static ", ", caller"),
                               "quick": ("", "static ", "")}[call.does]
        yield f"struct Quick_{call.name}{base} {{"
        yield (f"  MARSHAL_ALWAYS_INLINE {storage}Quickly run(const void*{' caller' if call.does == 'quick_at' else ''}, "
               f"{word_parameters(len(call.names))}) noexcept {{ return action::quick_{call.action}({', '.join(call.arguments_of('w{}'))}{more}); }}")
        yield "};"


def word_parameters(count):
    return ", ".join(f"Word w{i}" for i in range(count))


def call_place(call, binding):
    return f"CallPlace{{Call::{call.name}, Binding::{binding}, MARSHAL_CALLER, {call.place('comm')}}}"


def type_words(call):
    """Of a call that may go by calls: the words with the types of its buffers. A call that passes is a receive."""
    types = [i for i, kind in enumerate(call.kind_of) if kind == "type" and i > 0 and call.kind_of[i - 1] in ("int", "count")]
    return f"TypeWords{{{', '.join(map(str, (types + [-1, -1])[:2]))}, {text_of(call.does == 'pass')}, {text_of(call.is_large)}}}"


def inlined(call, slot, binding, words):
    """What an entry point runs whose time matters, of the functions of these headers; nothing for the others."""
    place = call_place(call, binding)
    if call.does in ("start", "complete", "control"):
        runs = f"pass_{call.does}({slot}, {place}{words})"
    elif call.does in ("pass", "send") and call.is_hot(binding):
        part = ", send_" + call.name if call.does == "send" else ""
        runs = f"{'pass_send' if part else 'pass'}({slot}, {place}{part}{words})"
    elif call.is_quick() and binding == "c":
        return f"act_quickly<Quick_{call.name}>(row_{call.name}, {slot}, MARSHAL_CALLER{words})"
    elif call.is_quick() and call.names == ["type"]:
        return f"act_quickly_in_fortran<Quick_{call.name}, MPI_Datatype>(row_{call.name}, {slot}, Binding::{binding}, MARSHAL_CALLER{words})"
    else:
        return ""
    if call.goes_by_calls():
        has_types = call.count_of("type", "types") > 0
        asks = f"goes_by_calls({place}, {type_words(call)}{words})" if has_types else f"may_end_extended({place}{words})"
        part = ", send_" + call.name if call.does == "send" else ""
        runs = f"{asks} ? {call.does}_by_calls({slot}, {place}, row_{call.name}{part}{words}) : {runs}"
    return runs


def entry_point(call, slot, binding):
    """The descriptor of any other (entry_points.h), and its way."""
    row = "&row_" + call.name if call.has_action() else "nullptr"
    sends = "&send_" + call.name if call.does == "send" else "nullptr"
    collects = "&part_" + call.name if call.does in ("collect", "broadcast", "exchange") else "nullptr"
    types = "&types_" + call.name if call.goes_by_calls() else "nullptr"
    way = {"pass": "pass", "send": "send", "collect": "collective", "broadcast": "broadcast", "exchange": "exchange"}.get(call.does, "action")
    return f"{{{slot}, Call::{call.name}, Binding::{binding}, {call.place('comm')}, {row}, {sends}, {collects}, {types}}}", "enter_" + way


# The parts.


def write_calls(table):
    calls = [call for _, call in table if call]

    def array(declaration, texts):
        return [f"inline constexpr {declaration}[call_count] = {{"] + [f"    {text}," for text in texts] + ["};\n"]

    return ["// Made from wrappers/entry/calls.table by entries.py.", "#pragma once", "#include <cstddef>\n", "namespace marshal {",
            "enum class Call : unsigned short {", *(f"  {call.name}," for call in calls), "};\n",
            f"inline constexpr std::size_t call_count = {len(calls)};",
            *array("const char* call_names", (f'"MPI_{call.name}"' for call in calls)),
            *array("bool timed_calls", (text_of(call.is_timed) for call in calls)),
            "// True for calls that are timed each.",
            "constexpr bool is_timed(Call call) { return timed_calls[static_cast<std::size_t>(call)]; }",
            *array("bool calls_that_make_requests", (text_of(call.makes_request()) for call in calls)),
            "// True for nonblocking calls, of which each makes a request.",
            "constexpr bool makes_request(Call call) { return calls_that_make_requests[static_cast<std::size_t>(call)]; }\n",
            "struct PeerWords {\n  signed char peer, tag;\n};",
            *array("PeerWords words_of_peers", ("{%d, %d}" % call.peer_words() for call in calls)),
            "// The words that say with whom a call exchanges messages, and by which tag; -1: none. Of a split: the colour.",
            "constexpr PeerWords peer_words(Call call) { return words_of_peers[static_cast<std::size_t>(call)]; }\n",
            *array("unsigned char watched_parts", (str(call.is_watched_by()) for call in calls)),
            "// True for calls that all members of a communicator make, in one order.",
            "constexpr bool is_numbered(Call call) { return (watched_parts[static_cast<std::size_t>(call)] & 2) != 0; }\n",
            "struct TogetherWords {\n  signed char counts, type;\n  bool has_counts, is_large;\n};",
            *array("TogetherWords words_of_together", (call.together_words() for call in calls)),
            "// Of a call that ends together, as none leaves it before the last has entered: the words that say how much a process gets, or each, and their one type.",
            "constexpr TogetherWords together_words(Call call) { return words_of_together[static_cast<std::size_t>(call)]; }",
            "constexpr bool ends_together(Call call) { return (watched_parts[static_cast<std::size_t>(call)] & 16) != 0; }\n",
            *array("signed char answer_words", (str(call.answer_word()) for call in calls)),
            "// The word with the answer of a test or a probe; of other calls -1.",
            "constexpr int answer_word(Call call) { return answer_words[static_cast<std::size_t>(call)]; }\n",
            "struct ElementCount {\n  int word;\n  bool is_large;\n};",
            *array("ElementCount element_counts", (f"{{{call.word_of_elements()}, {text_of(call.is_large)}}}" for call in calls)),
            "// The word that says how many elements a send, a pack or a local reduction moves; of other calls -1.",
            "constexpr ElementCount element_count(Call call) { return element_counts[static_cast<std::size_t>(call)]; }\n",
            "inline const char* name_of(Call call) { return call_names[static_cast<std::size_t>(call)]; }", "}  // namespace marshal"]


def write_actions(table):
    declared = [f"int {call.action}(HostCall& host{call.action_parameters()});" for _, call in table if call and call.has_action()]
    return ["// Made from wrappers/entry/calls.table by entries.py: what each observed call does around the host's own function.", "#pragma once",
            "#include <mpi.h>\n", '#include "host/pmpi.h"', '#include "wrappers/entry/host_call.h"', "\nnamespace marshal::action {",
            *dict.fromkeys(declared), "}  // namespace marshal::action"]


def write_entries(table, room):
    lines = ["// Made from wrappers/entry/calls.table by entries.py.", '#include "wrappers/entry/actions.h"',
             '#include "wrappers/entry/entry_points.h"',
             *(['#include "wrappers/actions/quick.h"'] if room in ("datatypes", "groups", "packing", "requests") else []),
             "\n#define MARSHAL_CALLER __builtin_return_address(0)", "\nnamespace marshal {\nnamespace {"]
    definitions = ["}  // namespace"]  # of the entry points, which stand behind all descriptors
    for call in (call for _, call in table if call and call.room == room):
        lines += descriptors(call)
        for binding, symbols, count in call.entries():
            slot, words = "slot_of_" + symbols[0], "".join(f", w{i}" for i in range(count))
            lines.append(f'Slot {slot}{{"' + "".join(symbol + "\\0" for symbol in symbols) + '"};')
            runs = inlined(call, slot, binding, words)
            if not runs:
                point, way = entry_point(call, slot, binding)
                lines.append(f"constexpr EntryPoint point_of_{symbols[0]}{point};")
                runs = f"enter_at({way}, point_of_{symbols[0]}, MARSHAL_CALLER{words})"
            for symbol in symbols:
                alias = f' __attribute__((alias("{symbols[0]}")))' if symbol != symbols[0] else ""
                definitions.append(f'extern "C" MARSHAL_ENTRY Word entry_{symbol}({word_parameters(count)}) __asm__("{symbol}"){alias};')
            definitions.append(f'extern "C" Word entry_{symbols[0]}({word_parameters(count)}) {{ return {runs}; }}')
    return lines + definitions + ["}  // namespace marshal"]


def write_missing(table):
    """Each function, and where it has one the older one: the same with smaller numbers."""
    rows = list(table)
    names = {call.name for _, call in rows if call}
    count = 0
    for _, call in rows:
        for binding, symbols, _ in call.entries() if call else ():
            older = ""
            if binding != "c" and call.is_large:
                older = symbols[0].replace("_c_f08", "_f08")
            elif binding == "c" and call.name.endswith("_c") and call.name[:-2] in names and symbols[0].startswith("MPI_"):
                older = symbols[0][:-2]
            letters = call.letters.replace("-", "." if binding == "c" else "")
            kind = next((kind for kind in "fwsce" if kind in letters), ".")
            first = f'MARSHAL_OLDER({count}, "{older}", ' if older else "MARSHAL_MISSING("
            spellings = "".join(symbol + "\\0" for symbol in symbols)
            yield (f'{first}"{spellings}", {LANGUAGE[binding]}, "{letters}", {len(letters) + (binding != "c")}, '
                   f"'{kind}', {letters.find(kind) if kind != '.' else -1})")
            count += 1


def main(part, path, more=""):
    table = read_table(path)
    symbols = (symbol for _, call in table if call for _, spellings, _ in call.entries() for symbol in spellings)
    if part == "door":
        with open(more, encoding="utf-8") as hooks:
            symbols = list(symbols) + [row.split()[1].rstrip(")") for row in hooks if row.startswith("MARSHAL_HOOK(")]
        lines = [f"MARSHAL_DOOR({i}, {symbol})" for i, symbol in enumerate(symbols)]
    elif part == "rows":
        lines = (room or " ".join([call.name, call.does, call.since] + [f"{n}:{k}" for n, k in zip(call.names, call.kind_of)]) for room, call in table)
    else:
        lines = {"calls": write_calls, "actions": write_actions, "missing": write_missing, "symbols": lambda _: symbols,
                 "entries": lambda rows: write_entries(rows, more)}[part](table)
    print("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
