"""From a question in its conversation to an Understanding."""
