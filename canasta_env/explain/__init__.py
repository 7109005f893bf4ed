"""Why an action is not legal: the reason, its clause, and what would be legal.

Legality itself comes from the engine's mask; a reason is sought only for an action that the mask refuses.
One module for each sort of action finds what its own clauses forbid; `completing` explains the rest, actions
after which the turn could no longer be completed.
"""

from canasta_env.explain.reasons import IllegalActionError, explain, reason

__all__ = ["IllegalActionError", "explain", "reason"]
