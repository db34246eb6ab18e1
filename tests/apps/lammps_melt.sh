#!/bin/sh
# LAMMPS from Debian, 100 steps of its melt example; thermodynamic output compared.
# cluster: nodes=4 ranks=8 needs=lmp needs=/usr/share/lammps/examples/melt/in.melt timeout=200
# cluster: nodes=4 ranks=16 needs=lmp needs=/usr/share/lammps/examples/melt/in.melt timeout=300
sed 's/^run.*/run 100/' /usr/share/lammps/examples/melt/in.melt >"in.$$"
exec lmp -log none -in "in.$$"
