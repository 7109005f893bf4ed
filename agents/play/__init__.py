"""Sit down at a table: in the browser or in the terminal, against any agents, or watch them and replay."""
