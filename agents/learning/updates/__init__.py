"""Learning from a rollout: advantages, losses, and steps of the optimiser."""
