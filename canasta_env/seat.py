"""The one-seat environment under its first import path; `canasta_env.CanastaSeatEnv` is the same class."""

from canasta_env.envs.single_agent import CanastaSeatEnv

__all__ = ["CanastaSeatEnv"]
