"""The papers' experiments as data, run again with certificates: a literal for each table, one engine, one store."""
