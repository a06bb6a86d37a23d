"""Text that can leave Python: model libraries and HTTP bodies are UTF-8."""


def encodable(text: str) -> str:
    """`text` with lone surrogates (half an emoji) replaced by "?"; else unchanged."""
    return text.encode("utf-8", "replace").decode()
