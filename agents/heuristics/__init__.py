"""Rule-based players, compiled: functions of a view, its legal actions and one random number.

`frame.py` holds the turn that all players share, a file named after a player its strategy, `players.py` the
list of them. What several players ask stands once: `features.py` (what a view tells), `melding.py` (cards
that fit, canastas that can be completed), `opening.py` and `going_out.py` (plans). `agent.py` makes agents of
them.
"""
