"""Tests of what words tell."""
