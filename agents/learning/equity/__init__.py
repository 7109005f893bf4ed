"""Match equity: what a score is worth in matches won, and single deals that are played for it."""
