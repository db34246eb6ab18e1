# Jobs of stands.c, two at a time, for both hosts; sourced by run and line. Each takes words: hosts,
# languages and jobs that are wanted, all else by themselves.
. "${srcdir:-.}/tests/mpi/script.sh"
without_sanitizers
shopt -s extglob
marshal=$build/tools/marshal words=$* begun=0
fail() { echo "FAILED: $what: $*"; failed=1; }
# draw N: a number from 0 in $drawn. Each job begins when all of it is drawn.
draw() { drawn=$((RANDOM % $1)); }

# make_program LANGUAGE: one of the sources under another name, with other lines, as another program; $file and $program of the job.
names=(heat solver step exchange halo_io poisson)
make_program() {
  local flags=(-g -O1 -w) compiler suffix=$1 folder=$scratch/$host/$1
  case $1 in mpif_h | use_mpi | use_mpi_f08) suffix=F90 ;; esac
  file=${names[seed % 6]}.$suffix program=$folder/${names[seed / 6 % 6]}.x
  [[ $1 != py ]] || program=$folder/$file
  [[ ! -e $program ]] || return 0
  mkdir -p "$folder"
  case $1 in
    c) compiler=OPENMPI_MPICC flags+=(-rdynamic) ;;
    py) cp "$srcdir/tests/mpi/stands/stands.py" "$program" && chmod u+x "$program"; return ;;
    *) compiler=OPENMPI_MPIFC flags+=(-fallow-argument-mismatch "-D${1^^}") ;;
  esac
  [[ $host == openmpi ]] || compiler=${compiler/OPENMPI/MPICH}
  { yes '' | head -n $((seed % 40)) && cat "$srcdir/tests/mpi/stands/stands.$suffix"; } >"$folder/$file"
  ${!compiler} "${flags[@]}" -o "$program" "$folder/$file" -ldl -pthread || exit 99
}
# at WORD: "FILE:LINE" of that call's line in this job.
at() { echo "$file:$(grep -nE "HERE $1 ${2:-$place}( |$)" "${program%/*}/$file" | cut -d: -f1)"; }
# The languages of this host's programs that are wanted.
languages() {
  local compiler=OPENMPI_MPIFC all=c language
  [[ $host == openmpi ]] || compiler=MPICH_MPIFC
  [[ -z ${!compiler-} ]] || all+=' mpif_h use_mpi use_mpi_f08'
  [[ $host != openmpi || ! -e /usr/lib/python3/dist-packages/mpi4py ]] || all+=' py'
  for language in $all; do
    [[ $words =~ (^| )(c|mpif_h|use_mpi|use_mpi_f08|py)( |$) && " $words " != *" $language "* ]] || echo "$language"
  done
}

# The hosts that are here and wanted.
hosts() {
  local host
  for host in openmpi mpich; do
    [[ ! -e $build/libmarshal-$host.so || ($words =~ openmpi|mpich && " $words " != *" $host "*) ]] || echo $host
  done
}
is_wanted() { [[ -z ${words//@(openmpi|mpich|c|mpif_h|use_mpi_f08|use_mpi|py| )/} || " $words " == *" $1 "* ]]; }

# beside COMMAND...: while at most one other runs; what it says comes at the end.
beside() {
  while (($(jobs -rp | wc -l) >= 2)); do wait -n; done
  { "$@"; echo "$what: $SECONDS s" >>"$scratch/ended"; } >"$scratch/$host/$job${mode-}.said" 2>&1 &
  ((++begun))
}
finish() {
  wait
  [[ -n $(hosts) ]] || skip 'no MPI'
  ((begun && begun == $(cat "$scratch"/ended | wc -l))) || failed=1
  cat "$scratch"/*/*.said
  [[ -z ${TEST_TIMES-} ]] || cat "$scratch/ended"
  ((failed == 0)) && ! grep -q '^FAILED' "$scratch"/*/*.said
  exit
}

# started FOLDER OPTION... -- WORD...: the program with these words, under Marshal, by these options of tools/cluster/run; in $run.
started() {
  local folder=$1
  shift
  mkdir -p "$folder" && cd "$folder" || exit 99
  "$srcdir/tools/cluster/run" --host "$host" --env MARSHAL_WATCH=2 --env MARSHAL_REPORT=none --env MARSHAL_REPORT_FILE="$folder/report" \
    --env MARSHAL_PROFILE=off --preload "$build/libmarshal.so" "$@" >out 2>err </dev/null &
  run=$!
}

seed=${MARSHAL_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "MARSHAL_TEST_SEED=$seed"
