"""What a run tells: metrics, curves, and the line on the terminal."""
