"""What a page says of itself: title, authors, dates, rights, addresses, each with where it was found."""
