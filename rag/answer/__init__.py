"""From evidence to a cited, checked answer or a refusal."""
