"""Where a site's articles lie: feeds, sitemaps, what a URL tells, pages in parts, and what is known already."""
