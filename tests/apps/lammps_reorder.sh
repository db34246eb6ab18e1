#!/bin/sh
# LAMMPS from Debian, 100 steps of its melt example on a grid that MPI may reorder. LAMMPS uses the grid's ranks in its own communicator: Marshal knows (MARSHAL_CART_MOVE=auto).
# cluster: nodes=4 ranks=16 needs=lmp needs=/usr/share/lammps/examples/melt/in.melt timeout=300
sed '1i processors * * * map cart/reorder
s/^run.*/run 100/' /usr/share/lammps/examples/melt/in.melt >"in.reorder.$$"
exec lmp -log none -in "in.reorder.$$"
