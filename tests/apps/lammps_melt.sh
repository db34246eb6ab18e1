#!/bin/sh
# LAMMPS from Debian, its melt example; thermodynamic output compared.
# cluster: nodes=4 ranks=8 needs=lmp needs=/usr/share/lammps/examples/melt/in.melt timeout=200
# cluster: nodes=4 ranks=16 env=MARSHAL_CART_FORCE=on needs=lmp needs=/usr/share/lammps/examples/melt/in.melt timeout=300
exec lmp -log none -in /usr/share/lammps/examples/melt/in.melt
