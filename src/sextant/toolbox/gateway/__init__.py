"""Many servers of tools as one: what each offers now, and which calls belong to one request."""
