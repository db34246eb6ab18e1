#include "tools/setting_texts.h"

#include <fmt/ranges.h>

#include "base/options.h"
#include "mapping/mappers.h"

namespace marshal::tools {
namespace {

// mdoc reads a backslash as an escape, a hyphen in a name as breakable, and a line's first dot or quote as a macro.
std::string mdoc(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '~')
      out += "\\(ti";
    else
      out.push_back(c);
  }
  return out;
}

constexpr std::string_view completion_script =
    R"bash(# Completion of marshal(1) for bash. Made by `marshal info --bash-completion`.
# The first words, or long options, of lines of a command's --help.
_marshal_of_help() {
  "${COMP_WORDS[0]}" "${@:2}" --help 2> /dev/null | sed -n "$1"
}
_marshal() {
  local names='s/^  \([a-z][a-z]*\)  *[a-z].*/\1/p' options='s/^ *\(-[a-z], *\)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p'
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words= i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$(_marshal_of_help "$names") --help --version" -- "$current"))
    return
  fi
  # bash makes words of its own of "--cart=best": "--cart", "=", "best".
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $command in
    run)
      # Behind the program, files and whatever the program takes.
      for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
          --) COMPREPLY=($(compgen -c -f -- "$current")) && return ;;
          -v | --verbose | -q | --quiet | --dry-run | -h | --help | =) ;;
          -*) [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++)); ((i++)) ;;
          *) compopt -o default 2> /dev/null; return ;;
        esac
      done
      case $previous in
        --mpi) words="openmpi mpich" ;;
@CASES@        *) words="--mpi --dry-run --verbose --quiet --help @OPTIONS@" ;;
      esac
      if [[ $words == FILE ]]; then
        COMPREPLY=($(compgen -f -- "$current"))
      elif [[ $words == --mpi* && $current != -* ]]; then
        COMPREPLY=($(compgen -c -- "$current") $(compgen -f -- "$current"))
      else
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      fi
      ;;
    *)
      local asked=("$command")
      if [[ $command == bench ]]; then
        ((COMP_CWORD == 2)) && words=$(_marshal_of_help "$names" bench)
        asked+=("${COMP_WORDS[2]}")
      fi
      [[ $command == profile ]] && ((COMP_CWORD == 2)) && words="list forget"
      case $previous in
        --mapper) words="@MAPPERS@ all" ;;
        --stencil) words="star box" ;;
        --ties) words="first last" ;;
        --mpi) words="openmpi mpich" ;;
        --way) words="namespaces launcher" ;;
      esac
      if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$(_marshal_of_help "$options" "${asked[@]}")" -- "$current"))
      elif [[ $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi
      ;;
  esac
}
complete -F _marshal marshal
)bash";

void replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

}  // namespace

std::string tables_as_mdoc() {
  std::string out;
  for (const mapping::MapperRow& row : mapping::mapper_table)
    out += fmt::format(".It {} {}\n{}{}.\n", row.by_name ? "Cm" : "No", row.name, mdoc(row.help),
                       row.nodes == mapping::Nodes::equal ? "; for nodes of one size that the grid fills" : "");
  for (const OptionRow& row : option_table()) {
    if (row.hidden) continue;
    out += fmt::format(".It Ev {}\n{}.\nTakes {}; the default is {}.\n", row.name, mdoc(row.help),
                       mdoc(choices_text(row)), row.initial.empty() ? "empty" : mdoc(row.initial));
  }
  return out;
}

std::string bash_completion() {
  std::string cases, options;
  for (const OptionRow& row : option_table()) {
    if (row.hidden || row.option == Option::verbose) continue;
    const std::string option = "--" + long_option(row);
    options += (options.empty() ? "" : " ") + option;
    const std::vector<std::string_view> words = words_of(row);
    const bool file = row.form == "FILE" || row.form == "PATTERN";
    if (file && words.empty())
      cases += fmt::format("        {}) words=FILE ;;\n", option);
    else
      cases += fmt::format("        {}) words=\"{}\" ;;\n", option, fmt::join(words, " "));
  }
  std::string text(completion_script);
  replace(text, "@CASES@", cases);
  replace(text, "@OPTIONS@", options);
  replace(text, "@MAPPERS@", mapping::mapper_names(" "));
  return text;
}

}  // namespace marshal::tools
