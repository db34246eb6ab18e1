# Calls MPI_Barrier from lines of many kinds, and says which lines those are: "line FILE NUMBER FUNCTION". Arguments: a folder with the module
# halo; `mpi4py`, or a library of C with functions begin, barrier, rank and end; the file of the MPI library behind that.
import ctypes
import sys
import threading

if sys.argv[2] == "mpi4py":
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    barrier, rank, end = world.Barrier, world.rank, int  # mpi4py ends MPI behind Python's own end
else:
    ctypes.CDLL(sys.argv[3], ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(sys.argv[2])
    library.begin()
    barrier, rank, end = library.barrier, library.rank(), library.end

sys.path.insert(0, sys.argv[1])
import halo


def here():
    caller = sys._getframe(1)
    if rank == 0:
        print("line", caller.f_code.co_filename, caller.f_lineno, caller.f_code.co_qualname, flush=True)


halo.barrier, halo.here = barrier, here


def function():
    barrier(), here()
    for i in range(100):
        barrier(), i or here()
    here(), barrier(
        *(),
    )


class Grid:
    def exchange(self):
        def inner():
            barrier(), here()

        inner()
        try:
            raise ValueError
        except ValueError:
            barrier(), here()

    @property
    def size(self):
        return barrier(), here()


def steps():
    for i in range(2):
        yield barrier(), i or here()


async def task():
    barrier(), here()


function()
Grid().exchange()
Grid().size
[(barrier(), here()) for _ in range(1)]
(lambda: (barrier(), here()))()
sorted([2, 1], key=lambda x: (x, barrier(), x == 1 and here()))
list(steps())
try:
    task().send(None)
except StopIteration:
    pass
halo.exchange()
exec("\nbarrier(), here()\n")
exec("\n\nbarrier(), here()\n")
thread = threading.Thread(target=function)
thread.start()
thread.join()
end()
