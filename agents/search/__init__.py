"""Search at the table: a player that tries its candidates out on hidden hands before it chooses.

`agent.SearchAgent` is the player, `options` what it can be told, `rollouts` the trying out, and `kernels` the
compiled part of that. docs/search.md says how it chooses.
"""
