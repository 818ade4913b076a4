"""The second opinion: certificates as theorems for Rocq (Coq), and what its kernel says of them.

A part becomes one lemma of its paper's file. What is to be computed, at points or over boxes, is
computed inside the kernel by functions that are proved right (`PreludeCompute.v` in
`proofs_checks/rocq/`); identities, derivatives and inductions are proved by tactics
(`PreludeReals.v`). Without `coqc` nothing here is needed: the record of the last run is committed
(`dpaudit.results.kernel`).
"""
