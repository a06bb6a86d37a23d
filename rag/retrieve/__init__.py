"""From a query plan to ranked evidence."""
