"""Tests of what the evidence says."""
