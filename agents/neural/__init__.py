"""Trained policies: the network, its file, and the agents that play it."""
