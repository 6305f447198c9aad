"""What differs between languages."""
