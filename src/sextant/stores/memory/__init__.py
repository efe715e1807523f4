"""A store in plain dicts that scores by brute force: for trials, and the yardstick of tests.

It keeps every promise of the ports but to last, and shares no array with the embedded store.
"""
