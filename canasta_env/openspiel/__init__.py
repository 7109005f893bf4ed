"""Canasta with the names of OpenSpiel: a game and its states; `register` takes them into it."""

from canasta_env.openspiel.game import CanastaGame
from canasta_env.openspiel.registration import register
from canasta_env.openspiel.state import CHANCE, TERMINAL, CanastaState

__all__ = ["CHANCE", "TERMINAL", "CanastaGame", "CanastaState", "register"]
