"""Parts of the chat page: conversation list, messages, the running answer, evidence."""
