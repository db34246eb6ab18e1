#!/bin/sh
# The files that a site installs beside the programs: marshal.pc, the module files, the Spack recipe and the citation are right, and the tools that
# read them understand them.
. "${srcdir:-.}/tests/tools/expect.sh"
version=$("$marshal" --version | sed 's/marshal //')

# Small files only: programs and libraries stay where they are.
parts='install-pkgconfigDATA install-includeHEADERS install-nodist_modulesDATA install-nodist_completionDATA install-dist_schemaDATA'
# shellcheck disable=SC2086
expect 0 '' ${MAKE:-make} -s $parts "prefix=$scratch/prefix" || exit 1

if command -v pkg-config > /dev/null; then
  pc () { PKG_CONFIG_PATH="$scratch/prefix/lib/pkgconfig" pkg-config --define-variable=prefix="$scratch/prefix" "$@" marshal; }
  expect 0 '' pc --validate
  expect 0 "$version" pc --modversion
  expect 0 "-I$scratch/prefix/include" pc --cflags
  expect 0 "$scratch/prefix/lib/libmarshal.so" pc --variable=preload
  printf '#include <marshal.h>\nint main(void) { return 0; }\n' > "$scratch/user.c"
  # shellcheck disable=SC2046
  for compiler in $OPENMPI_MPICC $MPICH_MPICC; do
    expect 0 "" $compiler $(pc --cflags) -std=c99 -c -o "$scratch/user.o" "$scratch/user.c"
  done
else
  echo 'not checked: pkg-config is not installed'
fi

# The hook that splits programs and libraries finds them installed.
case $(${MAKE:-make} -n install-exec "prefix=$scratch/prefix") in
  *install*libmarshal.so*packaging/split_debug*) ;;
  *packaging/split_debug*) wrong 'make install splits the libraries before they are there' ;;
esac

# Programs and libraries as they are installed: small, with debug information that they name apart, and the same symbols.
if command -v objcopy readelf > /dev/null; then
  mkdir "$scratch/code"
  for file in tools/marshal libmarshal*.so; do
    cp "$file" "$scratch/code/" && "$source/packaging/split_debug" "$scratch/code/${file##*/}" || wrong "$file cannot be split"
    installed=$scratch/code/${file##*/} debug=$scratch/code/.debug/${file##*/}.debug
    readelf -S "$file" | grep -q '\.debug_info' || { echo "not checked: $file has no debug information"; continue; }
    readelf -p .gnu_debuglink "$installed" 2> /dev/null | grep -q "${debug##*/}" && [ -s "$debug" ] || wrong "$file: no debug information apart"
    [ "$(nm -D "$file" | sed 's/^[0-9a-f]*//')" = "$(nm -D "$installed" | sed 's/^[0-9a-f]*//')" ] || wrong "$file: other symbols when installed"
    bytes=$(wc -c < "$installed")
    # Sanitized and unoptimised code is larger than what anybody installs.
    case ${TEST_RUNTIMES:-} in '') [ "$bytes" -le 6000000 ] || wrong "$file: $bytes bytes when installed" ;; esac
  done
  expect 0 "$version" "$scratch/code/marshal" --version
else
  echo 'not checked: objcopy and readelf are not installed'
fi

modules=$scratch/prefix/share/modulefiles module=$scratch/prefix/share/modulefiles/marshal/$version
for file in "$module" "$module.lua"; do
  [ -e "$file" ] || wrong "no module file ${file##*/}"
  grep -n '@' "$file" && wrong "the module file ${file##*/} has places that were not filled in"
done
# Both say the same.
words () { sed -n 's/_path//; s/-path//; /^conflict/p; /^prepend/p' "$1" | tr '(),"' ' ' | tr -s ' ' | sed 's/ $//'; }
[ "$(words "$module")" = "$(words "$module.lua")" ] || wrong 'the module files in Tcl and Lua differ'

# In a package for /usr these files leave the search paths alone.
cp config.status Makefile "$scratch" && (cd "$scratch" && ${MAKE:-make} -s -o Makefile -o config.status srcdir="$source" VPATH="$source" "packaging/$version" \
  "packaging/$version.lua" prefix=/usr pkgconfigdir=/usr/lib/aarch64-linux-gnu/pkgconfig) || wrong 'no module files for /usr'
grep -n '^prepend' "$scratch/packaging/$version" "$scratch/packaging/$version.lua" && wrong 'module files of a package put the directories of the system first'

# reads_modules FILE COMMAND…, which prints commands for a shell, as Lmod's and Environment Modules' own do: it finds FILE of both, the paths are set,
# and a tool of the same kind is not loaded beside Marshal.
sets () { sed -n "s/^prepend-path $1 //p" "$module"; }
reads_modules () {
  file=$1
  shift
  load () { env -i PATH=/usr/bin:/bin HOME="$scratch" MODULEPATH="$modules" "$@" 2>&1; }
  mkdir -p "$modules/ipm" && printf '#%%Module1.0\nsetenv IPM_IS_HERE yes\n' > "$modules/ipm/2.0"
  expect 0 "_LMFILES_=$file;" load "$@" bash load marshal
  # shellcheck disable=SC2016
  expect 0 "$(sets PATH):/usr/bin:/bin $(sets PKG_CONFIG_PATH) $(sets CPATH)" \
    env -i bash -c 'eval "$1" && echo "$PATH $PKG_CONFIG_PATH $CPATH"' bash "$out"
  load "$@" bash load ipm marshal > "$scratch/both"
  grep -q 'Conflicting ipm\|Cannot load module "marshal' "$scratch/both" || wrong "$1 names no conflict: $(cat "$scratch/both")"
  ! grep -q "PATH=$(sets PATH)" "$scratch/both" || wrong "$1 loads Marshal beside IPM"
}
lmod=${LMOD_CMD:-/usr/share/lmod/lmod/libexec/lmod}
if [ -x "$lmod" ]; then reads_modules "$module.lua" "$lmod"; else echo 'not checked: Lmod is not installed'; fi
for tcl_modules in "${MODULES_CMD:-}" /usr/lib/*/modulecmd.tcl; do [ ! -e "$tcl_modules" ] || break; done
if [ -e "$tcl_modules" ]; then reads_modules "$module" tclsh "$tcl_modules"; else echo 'not checked: Environment Modules are not installed'; fi

if command -v tclsh > /dev/null; then
  # The commands of a module file that are not Tcl's own, as Environment Modules and Lmod provide them.
  cat > "$scratch/read_module.tcl" <<'END'
proc prepend-path {name value} { puts "$name $value" }
proc conflict {name args} { puts "conflict $name" }
proc module-whatis {text} { puts "whatis $text" }
set text [read [open [lindex $argv 0]]]
if {![string match "#%Module*" $text]} { error "no module file" }
eval $text
ModulesHelp
END
  expect 0 'mpirun -n 16 marshal run ./app' tclsh "$scratch/read_module.tcl" "$module"
  for line in 'conflict marshal' "whatis Marshal $version" 'PATH /' 'MANPATH /' 'PKG_CONFIG_PATH /'; do
    case $out in *"$line"*) ;; *) wrong "the module file does not say: $line" ;; esac
  done
else
  echo 'not checked: tclsh is not installed'
fi

if command -v python3 > /dev/null; then
  # The recipe with stand-ins for Spack's words.
  cat > "$scratch/read_recipe.py" <<'END'
import sys, types
said = []
def word(name): return lambda *args, **options: said.append((name, args, options))
package = types.ModuleType("spack.package")
for name in ("version", "license", "depends_on", "conflicts", "variant"): setattr(package, name, word(name))
package.AutotoolsPackage = type("AutotoolsPackage", (), {})
package.Executable = lambda path: lambda *args: said.append(("run", (path,) + args, {}))
sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), package
recipe = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), recipe)
marshal = recipe["Marshal"]()
marshal.spec = {"mpi": types.SimpleNamespace(mpicc="/opt/mpi/bin/mpicc")}
marshal.autoreconf(marshal.spec, "/opt")
print(marshal.configure_args(), said[-1][1], *sorted(args[0] for name, args, options in said if name == "depends_on"))
END
  expect 0 "['--with-mpi=/opt/mpi/bin/mpicc'] ('./bootstrap',)" python3 "$scratch/read_recipe.py" "$source/packaging/spack/marshal/package.py"
  # Each library that configure asks for is one that the recipe depends on.
  for name in $(sed -n 's/^PKG_CHECK_MODULES(\[[A-Z]*\], \[\([a-z]*\).*/\1/p' "$source/configure.ac" | sed 's/^libdw$/elfutils/') papi boost cli11 fmt nlohmann-json xxhash mpi; do
    case " $out" in *" $name"*) ;; *) wrong "the Spack recipe does not depend on $name" ;; esac
  done
  if python3 -c 'import yaml' 2> /dev/null; then
    expect 0 "$version BSD-3-Clause" python3 -c 'import sys, yaml
c = yaml.safe_load(open(sys.argv[1]))
assert c["cff-version"] == "1.2.0" and c["title"] and c["authors"] and all(r["title"] and r["authors"] for r in c["references"])
print(c["version"], c["license"])' "$source/CITATION.cff"
  fi
fi
# Debian's packages are built with each that configure asks for.
for name in $(sed -n 's/.*MARSHAL_\(NEEDS\|LACKS\)(\[[^]]*\], \[\([^]]*\)\]).*/\2/p' "$source/configure.ac"); do
  grep -q "^ $name\(,\| \|\$\)" "$source/packaging/debian/control" || wrong "packaging/debian/control has no $name in Build-Depends"
done
expect 0 'BSD 3-Clause License' head -n 1 "$source/LICENSE"
finish
