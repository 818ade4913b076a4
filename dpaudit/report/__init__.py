"""Everything that a person or a build page reads is rendered here, of result documents alone."""
