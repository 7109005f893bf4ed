"""Observations under their first import path; `canasta_env.layout` names their features."""

from canasta_env.engine.layout import Block, critic_size, hidden_layout, layout, observation_size

__all__ = ["Block", "critic_size", "hidden_layout", "layout", "observation_size"]
