"""Review of games that were played: what the search would have done, and what each decision cost.

`positions` reads the decisions of a record, `reviewer` judges them, `luck` weighs the cards drawn, `summary`
gathers rates by player and kind, and `tables`, `page` and `files` show them. docs/review.md says what its
figures mean.
"""
