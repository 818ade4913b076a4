"""What nobody had computed: optima, and the questions that papers leave open."""
