"""Finding articles: feeds, sitemaps, what a URL or a page looks like, and what is known already."""
