"""How knowledge comes in over REST: read, laid on disk, and handed to a job."""
