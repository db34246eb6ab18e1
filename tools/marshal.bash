# Completion of marshal(1) for bash. Made by `marshal info --bash-completion`; edit tools/setting_texts.cc.
_marshal() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words= i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "run report map info bench tune --help --version" -- "$current"))
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
        --rankmap) words="blocks rankmap plist range strided bitmap sparse lut off" ;;
        --cart) words="best nodecart hyperplane kdtree strips search off report" ;;
        --cart-stencil) words="star box" ;;
        --cart-weights) words="equal" ;;
        --cart-levels) words="auto node package numa l3" ;;
        --cart-min-gain) words="" ;;
        --cart-force) words="off on" ;;
        --cart-move) words="auto ranks coordinates" ;;
        --cart-ties) words="first last" ;;
        --cart-time) words="" ;;
        --dims) words="host node balanced" ;;
        --topology) words="auto" ;;
        --pack) words="auto mars iovec host" ;;
        --segment) words="auto" ;;
        --tune) words="auto off" ;;
        --report) words="none text json html" ;;
        --report-file) words=FILE ;;
        --project) words="" ;;
        --callsites) words="off on" ;;
        --papi) words="off" ;;
        --config) words=FILE ;;
        --disable) words="off on" ;;
        *) words="--mpi --dry-run --verbose --quiet --help --rankmap --cart --cart-stencil --cart-weights --cart-levels --cart-min-gain --cart-force --cart-move --cart-ties --cart-time --dims --topology --pack --segment --tune --report --report-file --project --callsites --papi --config --disable" ;;
      esac
      if [[ $words == FILE ]]; then
        COMPREPLY=($(compgen -f -- "$current"))
      elif [[ $words == --mpi* && $current != -* ]]; then
        COMPREPLY=($(compgen -c -- "$current") $(compgen -f -- "$current"))
      else
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      fi
      ;;
    report)
      if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "--json --html --all --no-symbols --compare --help" -- "$current"))
      else
        COMPREPLY=($(compgen -f -- "$current"))
      fi
      ;;
    info) COMPREPLY=($(compgen -W "--json --help" -- "$current")) ;;
    map)
      words="--dims --nodes --ppn --sizes --topology --mapper --stencil --weights --periodic --ties --time --node-rate --process-rate --bytes --json --csv --svg --assignment --help"
      case $previous in
        --mapper) words="nodecart hyperplane kdtree strips search best all" ;;
        --stencil) words="star box" ;;
        --ties) words="first last" ;;
        --svg | --assignment) COMPREPLY=($(compgen -f -- "$current")) && return ;;
      esac
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      ;;
    bench)
      words=--help
      if ((COMP_CWORD == 2)); then
        words="cart overhead pack rankmap --help"
      elif [[ ${COMP_WORDS[2]} == cart ]]; then
        words="--grids --mappers --nodes --ppn --bytes --meshes --rate --rounds --mpi --way --json --help"
      fi
      [[ $previous == --mpi ]] && words="openmpi mpich"
      [[ $previous == --way ]] && words="namespaces launcher"
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      ;;
    *) compopt -o default 2> /dev/null ;;
  esac
}
complete -F _marshal marshal
