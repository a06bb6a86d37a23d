"""Parts of the documents page: knowledge bases, upload, job strip, list, one document."""
