"""The extraction methods behind one protocol, and the table that names them."""
