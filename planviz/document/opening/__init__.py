"""From a text of any kind to a Document."""
