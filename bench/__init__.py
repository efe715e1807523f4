"""Speed and size of the embedded store, as figures beside those of its peers in the same run."""
