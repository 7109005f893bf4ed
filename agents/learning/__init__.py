"""Self-play training: networks, rollouts, advantages, PPO, imitation, snapshots, checkpoints, metrics."""
