#!/usr/bin/python3
"""Jobs of stands.c that hang, by mpi4py: stands JOB PLACE RANK SECONDS."""
import ctypes
import os
import signal
import sys
from array import array

import mpi4py

mpi4py.rc.thread_level = "funneled"
from mpi4py import MPI

job, place, culprit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
tag, other_tag = 5, 6
world = MPI.COMM_WORLD
own, following = world.rank, (culprit + 1) % world.size
value, total = array("i", [1]), array("i", [0])


def barrier(on):
    if place == 0: on.Barrier()  # HERE barrier 0
    if place == 1: on.Barrier()  # HERE barrier 1
    if place == 2: on.Barrier()  # HERE barrier 2
def allreduce(on):
    if place == 0: on.Allreduce(value, total)  # HERE allreduce 0
    if place == 1: on.Allreduce(value, total)  # HERE allreduce 1
    if place == 2: on.Allreduce(value, total)  # HERE allreduce 2
def bcast(root):
    if place == 0: world.Bcast(value, root)  # HERE bcast 0
    if place == 1: world.Bcast(value, root)  # HERE bcast 1
    if place == 2: world.Bcast(value, root)  # HERE bcast 2
def receive(source, what):
    if place == 0: world.Recv(total, source, what)  # HERE receive 0
    if place == 1: world.Recv(total, source, what)  # HERE receive 1
    if place == 2: world.Recv(total, source, what)  # HERE receive 2
def transmit(to):
    if place == 0: world.Send(value, to, tag)  # HERE send 0
    if place == 1: world.Send(value, to, tag)  # HERE send 1
    if place == 2: world.Send(value, to, tag)  # HERE send 2
def test(request):
    if place == 0: return request.Test()  # HERE test 0
    if place == 1: return request.Test()  # HERE test 1
    if place == 2: return request.Test()  # HERE test 2
def iprobe():
    if place == 0: return world.Iprobe(following, tag)  # HERE iprobe 0
    if place == 1: return world.Iprobe(following, tag)  # HERE iprobe 1
    if place == 2: return world.Iprobe(following, tag)  # HERE iprobe 2
def finalize():
    if place == 0: MPI.Finalize()  # HERE finalize 0
    if place == 1: MPI.Finalize()  # HERE finalize 1
    if place == 2: MPI.Finalize()  # HERE finalize 2
def duplicate():
    return world.Dup()  # HERE dup 0


def last_call():
    if own == culprit: transmit(following)
    if own == following: world.Recv(total, culprit, tag)


for _ in range(place + 1):
    world.Barrier()
if job == "missing":
    receive(following, tag) if own == culprit else allreduce(world)
if job == "crossed":
    if own == culprit: receive(following, tag)
    if own == following: receive(culprit, tag)
    barrier(world)
if job == "different":
    bcast(following) if own == culprit else barrier(world)
if job in ("loop", "read", "stopped"):
    last_call()
    while own == culprit and job == "loop":
        pass
    if own == culprit and job == "read": os.read(os.pipe()[0], 1)
    if own == culprit and job == "stopped": os.kill(os.getpid(), signal.SIGSTOP)
    allreduce(world)
if job in ("killed", "ended"):
    last_call()
    if own == culprit: ctypes.CDLL(None).sleep(int(sys.argv[4]))
    if own == culprit and job == "killed": os.kill(os.getpid(), signal.SIGKILL)
    if own == culprit: ctypes.CDLL(None).exit(3)
    allreduce(world)
if job == "communicators":
    first, second = duplicate(), duplicate()
    barrier(second) if own == culprit else allreduce(first)
if job == "wrong_tag":
    if own == following: transmit(culprit)
    if own == culprit: receive(following, other_tag)
    barrier(world)
if job == "no_finalize":
    last_call()
    if own == culprit: signal.pause()
if job == "tests":
    request = world.Irecv(total, following, tag)
    while own == culprit and not test(request): pass
    barrier(world)
if job == "probes":
    while own == culprit and not iprobe(): pass
    barrier(world)
finalize()
