"""Pages as a browser draws them: computed styles and rectangles of blocks, stored with the page."""
