"""Whoever sits at a table: random, rule-based and learned players, and how they are trained and measured.

The folder is called agents, the package `canasta_agents`: under a second name every class would exist twice.
"""

if __name__ != "canasta_agents":
    raise ImportError(f"import canasta_agents, not {__name__}: `pip install -e .` provides it")
