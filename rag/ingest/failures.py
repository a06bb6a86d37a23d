"""How an attempt to ingest a file can end other than well."""

from __future__ import annotations

import logging

from rag.errors import ZhiwenError
from rag.ingest.files import report_full_disk

log = logging.getLogger(__name__)


class Cancelled(Exception):
    """Someone asked the job to stop; not an error."""


def for_people(error: BaseException, name: str) -> BaseException:
    """The error as people see it; anything unexpected is logged and said in general words."""
    if isinstance(error, ZhiwenError | Cancelled) or not isinstance(error, Exception):
        return error
    if isinstance(error, OSError):
        try:
            with report_full_disk(name):
                raise error
        except ZhiwenError as full:
            return full
        except OSError:
            pass
    log.exception("ingesting %r failed", name, exc_info=error)
    return ZhiwenError(
        f"处理“{name}”时出了意外。",
        "请重试；仍然失败时请把文件另存一份再上传，并查看运行日志。",
        message_en=f"Something unexpected happened while processing {name}.",
        remedy_en="Try again; if it fails again, save a copy of the file and upload that, "
        "and see the log.",
        detail=f"{type(error).__name__}: {error}",
    )
