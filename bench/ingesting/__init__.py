"""The measurement of ingest, step by step: its corpus, what is timed, its peers, its tables."""
