"""Which version this is. Knows nothing else."""

__version__ = "0.1.0"
