"""The environments: PettingZoo (AEC and parallel) and Gymnasium (one seat, one table or many)."""
