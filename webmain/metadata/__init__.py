"""Metadata of a page: title, authors, dates, rights, addresses, each with the place where it was found."""
