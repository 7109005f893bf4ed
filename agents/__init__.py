"""Whoever sits at a table: random, rule-based and learned players, and how they are trained and measured."""
