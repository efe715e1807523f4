"""What stands before every door of HTTP: names, sizes, rates and times."""
