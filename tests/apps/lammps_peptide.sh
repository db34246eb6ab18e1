#!/bin/sh
# LAMMPS from Debian, 100 steps of its peptide example (bonds, constraints, long-range forces on a grid of FFTs); thermodynamic output compared.
# cluster: nodes=4 ranks=8 needs=lmp needs=/usr/share/lammps/examples/peptide/in.peptide timeout=200
ln -sf /usr/share/lammps/examples/peptide/data.peptide .
sed 's/^run.*/run 100/' /usr/share/lammps/examples/peptide/in.peptide >"in.$$"
exec lmp -log none -in "in.$$"
