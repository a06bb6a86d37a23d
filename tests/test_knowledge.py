from __future__ import annotations

from io import BytesIO

import pytest

from rag.application import Application
from rag.errors import TooLarge
from rag.types import Person

ADMIN = Person(id="admin", name="管理员", role="admin")


def test_a_file_beyond_the_limit_is_refused_before_it_is_stored(application: Application) -> None:
    kb = application.knowledge.create_base(ADMIN, "库")
    application.settings.update("ingest", {"max_file_mb": 1})
    with pytest.raises(TooLarge, match=r"1\.1 MB，超过上限 1 MB"):
        application.knowledge.upload(ADMIN, kb.id, "大.txt", BytesIO(b"a" * ((1 << 20) + 1)))
    assert application.knowledge.jobs(ADMIN) == []
    assert list(application.files.hashes()) == []
    job = application.knowledge.upload(ADMIN, kb.id, "小.txt", BytesIO(b"a" * (1 << 20)))
    assert job.name == "小.txt"
