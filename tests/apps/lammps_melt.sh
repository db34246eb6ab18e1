#!/bin/sh
# LAMMPS from Debian, its melt example; thermodynamic output compared.
# cluster: nodes=4 ranks=8 needs=lmp needs=/usr/share/lammps/examples/melt/in.melt timeout=200
exec lmp -log none -in /usr/share/lammps/examples/melt/in.melt
