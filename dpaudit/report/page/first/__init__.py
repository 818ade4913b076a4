"""What a page begins with: what is violated or false, what would mend it, and what that means for
those who read it."""
