"""What bench/serve.py stands on: servers in processes of their own, and clients for them."""
