# Copyright the authors of Marshal.
#
# SPDX-License-Identifier: BSD-3-Clause

from spack.package import *


class Marshal(AutotoolsPackage):
    """Rank maps, reordering and packing in front of unmodified MPI programs: a library that is preloaded, with a report of
    what communicators, grids and datatypes cost."""

    # A site that builds from its own checkout: `spack dev-build marshal@main` in the source directory.
    version("main")

    license("BSD-3-Clause")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("autoconf@2.69:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("python@3.7:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.74:", type=("build", "test"))
    depends_on("cli11", type="build")
    depends_on("fmt@8:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("xxhash", type="build")
    depends_on("elfutils")
    depends_on("hwloc@2:")
    depends_on("libunwind")
    depends_on("papi", type=("build", "run"))
    depends_on("scotch", type="run")
    depends_on("zstd")
    depends_on("mpi")

    # One MPI a build here; a build by hand takes several at once.
    conflicts("%gcc@:10", msg="Marshal needs a C++20 compiler")
    conflicts("%clang@:13", msg="Marshal needs a C++20 compiler")

    def autoreconf(self, spec, prefix):
        Executable("./bootstrap")()

    def configure_args(self):
        return ["--with-mpi=" + self.spec["mpi"].mpicc]
