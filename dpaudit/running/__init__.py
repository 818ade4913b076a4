"""Running algorithms: binding a driver to an algorithm, compiling, seeding, blocks of runs."""
