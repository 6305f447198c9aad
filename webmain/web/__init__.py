"""The web page and the REST interface: `webmain serve`."""
