"""What people corrected: blocks marked as content or not, as gold, as labels for site learning, as proposals for rules."""
