"""What documents earned by feedback and by use. Appended by users, folded when it is read."""
