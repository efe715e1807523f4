"""HTTP below the doors: connections, the gate, problems, health and metrics."""
