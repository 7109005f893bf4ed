"""Self-play training: networks, rollouts, advantages, PPO, imitation, past selves, checkpoints, metrics."""
