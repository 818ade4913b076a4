"""Who is played, and on what: catalogue and learners, on tables and in environments."""
