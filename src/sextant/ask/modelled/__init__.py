"""Steps that a language model does better, each beside the offline one that it falls back on."""
