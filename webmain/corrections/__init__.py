"""Corrections by people: blocks marked as content or not, used as gold, as labels for site learning, to propose rules."""
