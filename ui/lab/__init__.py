"""The retrieval lab page: one question under a glass, two settings compared, saved tests."""
