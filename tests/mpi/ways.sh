# The ways of messages through Open MPI beside pml/ob1, which it takes here by itself; sourced by tests/mpi/driver and the tests of these ways.

# words_of_way WAY: as words of tests/mpi/driver. UCX takes shared memory, libfabric TCP.
words_of_way() {
  case $1 in
    ucx) echo 'env=OMPI_MCA_pml=ucx env=OMPI_MCA_pml_ucx_tls=any env=OMPI_MCA_pml_ucx_devices=any' ;;
    ofi) echo "env=OMPI_MCA_pml=cm env=OMPI_MCA_mtl=ofi env='OMPI_MCA_mtl_ofi_provider_include=tcp;ofi_rxm'" ;;
    *) echo "$1: no way; there are ucx and ofi" >&2; exit 2 ;;
  esac
}

# settings_of_way WAY: the same as NAME=VALUE, one each line.
settings_of_way() {
  local list
  eval "list=($(words_of_way "$1"))"
  printf '%s\n' "${list[@]#env=}"
}

# runs_by WAY <RUNS: the runs, a line of words each, by that way. Runs may differ in ranks, transports and MARSHAL_MESSAGES alone: then it leaves one, with
# MARSHAL_MESSAGES=on if one of them has it.
runs_by() {
  sed -E "s/ env=(UCX|OMPI_MCA|MPIR)_[^ ]*//g; s/\$/ $(words_of_way "$1")/" | awk '
    { key = $0; gsub(/(nodes|ranks)=[0-9]+| env=MARSHAL_MESSAGES=[a-z]+/, "", key) }
    !(key in run) { keys[++count] = key }
    !(key in run) || (/MARSHAL_MESSAGES=on/ && run[key] !~ /MARSHAL_MESSAGES=on/) { run[key] = $0 }
    END { for (i = 1; i <= count; i++) print run[keys[i]] }'
}

# try_way WAY PROGRAM [ARGUMENT...]: 0 if Open MPI takes that way in each of two ranks, 77 if it lacks the component for it; else 1. It says why.
try_way() {
  local way=$1 component=pml/ucx taken said setting options=() failed=0
  shift
  [[ $way == ucx ]] || component=mtl/ofi
  while read -r setting; do options+=(--env "$setting"); done < <(settings_of_way "$way")
  said=$("$srcdir/tools/cluster/run" --host openmpi --nodes 1 --ranks 2 --timeout 60 "${options[@]}" --env OMPI_MCA_pml_base_verbose=10 \
    --env OMPI_MCA_mtl_base_verbose=10 -- "$@" 2>&1) || failed=1
  taken=$(grep -c "select: component ${component#*/} selected" <<<"$said")
  [[ $taken != 2 ]] || return 0
  # Asked for a component that it lacks, it takes no other one.
  if ((failed)) && ! grep -q "found loaded component ${component#*/}" <<<"$said"; then
    echo "SKIPPED: Open MPI has no $component here"
    return 77
  fi
  echo "Open MPI takes $component in $taken of 2 ranks:"
  tail -n 40 <<<"$said"
  return 1
}
