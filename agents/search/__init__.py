"""Search at the table: a player that tries its candidates out on hidden hands before it chooses.

`agent.SearchAgent` is the player, `options` what it can be told, `evaluation` what it asks of a decision (as
`canasta_agents.review` does of games that were played), `rollouts` the playing on, and `kernels` the compiled
part of that. docs/search.md says how it chooses.
"""
