"""What every route stands in: how requests are read and refused, and how replies are told."""
