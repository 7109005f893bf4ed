"""Playing to learn from: who sits where, and the decisions that are kept."""
