#!/usr/bin/python3
# A parallel FFT in three dimensions, as mpi4py-fft has it: each process transforms its slabs, and MPI_Alltoallw of subarrays
# turns slabs of one dimension into slabs of another, to and fro. The results are compared to the last bit.
# cluster: nodes=2 ranks=4 timeout=300 needs=/usr/lib/python3/dist-packages/mpi4py
#
# usage: fft_mpi4py [POINTS [TURNS]]: of a cube's edge, a power of two; each transposition is done so often. The time goes to
# standard error.
import cmath
import hashlib
import sys
import time
from array import array

from mpi4py import MPI

points = int(sys.argv[1]) if len(sys.argv) > 1 else 16
turns = int(sys.argv[2]) if len(sys.argv) > 2 else 1
world = MPI.COMM_WORLD


def fft(line, sign):
    if len(line) == 1:
        return line
    even, odd = fft(line[::2], sign), fft(line[1::2], sign)
    half = len(even)
    turned = [cmath.exp(sign * 2j * cmath.pi * i / len(line)) * odd[i] for i in range(half)]
    return [even[i] + turned[i] for i in range(half)] + [even[i] - turned[i] for i in range(half)]


# Local arrays are complex numbers as pairs of doubles, row after row.
def transform(local, shape, axis, sign):
    strides = shape[1] * shape[2], shape[2], 1
    others = [d for d in range(3) if d != axis]
    for i in range(shape[others[0]]):
        for j in range(shape[others[1]]):
            begin = i * strides[others[0]] + j * strides[others[1]]
            places = [2 * (begin + k * strides[axis]) for k in range(shape[axis])]
            for place, value in zip(places, fft([complex(local[p], local[p + 1]) for p in places], sign)):
                local[place], local[place + 1] = value.real, value.imag


def part(rank):  # the first and the number of a rank's planes
    first = points * rank // world.size
    return first, points * (rank + 1) // world.size - first


def pieces(shape, axis):  # of a local array, cut along `axis`: one subarray for each rank
    types = []
    for rank in range(world.size):
        starts, sizes = [0, 0, 0], list(shape)
        starts[axis], sizes[axis] = part(rank)
        types.append(MPI.DOUBLE_COMPLEX.Create_subarray(shape, sizes, starts).Commit())
    return types


first, count = part(world.rank)
slab_shape, column_shape = (count, points, points), (points, count, points)  # cut along the first, and the second dimension
slabs, columns = (array("d", bytes(16 * count * points * points)) for _ in range(2))
slabs_cut, columns_cut = pieces(slab_shape, 1), pieces(column_shape, 0)
each = [1] * world.size, [0] * world.size
given = array("d", ((7919 * (2 * first * points * points + i)) % 1009 - 504 for i in range(len(slabs))))
slabs[:] = given

began, moving = time.perf_counter(), 0.0


def transpose(source, source_cut, to, to_cut):
    global moving
    before = time.perf_counter()
    for _ in range(turns):
        world.Alltoallw([source, each, source_cut], [to, each, to_cut])
    moving += time.perf_counter() - before


transform(slabs, slab_shape, 2, -1)
transform(slabs, slab_shape, 1, -1)
transpose(slabs, slabs_cut, columns, columns_cut)
transform(columns, column_shape, 0, -1)
print(f"rank {world.rank}, transformed: {hashlib.sha256(columns).hexdigest()}")
transform(columns, column_shape, 0, 1)
transpose(columns, columns_cut, slabs, slabs_cut)
transform(slabs, slab_shape, 1, 1)
transform(slabs, slab_shape, 2, 1)
error = max(abs(back / points**3 - value) for back, value in zip(slabs, given))
print(f"rank {world.rank}, and back: {hashlib.sha256(slabs).hexdigest()}, {'right' if error < 1e-9 else f'{error} off'}")
if world.rank == 0:
    print(f"{time.perf_counter() - began:.3f} s, {moving:.3f} s of it in Alltoallw", file=sys.stderr)
for datatype in slabs_cut + columns_cut:
    datatype.Free()
