"""Whether prose that a model wrote is what the retrieved chunks say, sentence by sentence."""
