"""Tests of the step that gives documents their vectors."""
