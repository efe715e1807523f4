"""The tools that models call: each file knows one server's worth of them."""
