"""The numbers, records and loops that an algorithm's own steps are run on, in place of data."""
