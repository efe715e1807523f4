"""What nets that run on this machine share: graphs written, run and kept; tokens and windows."""
