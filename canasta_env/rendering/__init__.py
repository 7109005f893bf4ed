"""Pictures of tables and views: pure functions."""
