"""bge-small-en-v1.5, which reads questions, and a small reader of passages that learnt from it."""
