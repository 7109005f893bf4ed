"""Rule-based players, compiled: functions of a view, its legal actions and one random number.

A player's file reads like its strategy. What several players ask (what is dangerous, how to open, what closes
a canasta, how to go out, what a discard costs) stands once, in the module named after it.
"""
