"""Alembic's environment: runs the scripts on the connection that rag.store.migrate passes."""

from alembic import context

from rag.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite changes tables by copying them.
    render_as_batch=True,
)
# The caller's transaction is the one that counts.
context.run_migrations()
