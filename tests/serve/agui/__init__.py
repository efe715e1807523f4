"""Tests of the AG-UI door."""
