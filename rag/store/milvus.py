"""The Milvus client below `rag.store.vectors`: opening, the collection's shape, plain errors."""

from __future__ import annotations

import errno
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rag.errors import DiskFull, StoreError
from rag.store.expression import TEXT_BYTES

ID_BYTES = 160
"""Width of ids in bytes: "{document}-{version}-{ordinal}" takes fewer than 40."""

DENSE = "dense"
SPARSE = "sparse"
HNSW_M = 16
HNSW_EF_CONSTRUCTION = 200
HNSW_EF_SEARCH = 128
"""Graph degree, and candidates kept while building and searching, on a Milvus server."""


_NO_PINGS = {"grpc.keepalive_time_ms": 2**31 - 1, "grpc.keepalive_permit_without_calls": 0}
"""pymilvus pings every 10 s. The server of Lite, in our own process, takes that for an attack
after a minute, closes the connection ("too_many_pings") and has it built anew."""


def is_lite(uri: str) -> bool:
    """Whether the URI is a local path (Milvus Lite) and not a server's address."""
    return "://" not in uri


class Connection:
    """A client of a store, made when it is first needed: importing and starting Lite takes
    more than a second, and answering needs it only where no local index does. Thread-safe.

    Args:
        uri: a local path or a server's address. For Lite the caller holds the lock, so a
            failure is not another process's.
        token: the server's token, or "user:password".
    """

    def __init__(self, uri: str, token: str) -> None:
        self._uri = uri
        self._token = token
        self._lock = threading.Lock()
        self._client: Any = None
        self._closed = False

    def client(self) -> Any:
        """The client.

        Raises:
            StoreError: the server cannot be reached, or the local file cannot be opened; or
                this is closed.
        """
        with self._lock:
            if self._closed:
                raise not_open()
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        from pymilvus import MilvusClient

        options: dict[str, Any] = {}
        if is_lite(self._uri):
            Path(self._uri).parent.mkdir(parents=True, exist_ok=True)
            options["grpc_options"] = _NO_PINGS
        try:
            return MilvusClient(uri=self._uri, token=self._token, **options)
        except Exception as error:
            raise _cannot_open(self._uri, error) from error

    def close(self) -> None:
        """Close the client; for Lite also the store inside this process, which would otherwise
        keep the files open until the process ends."""
        with self._lock:
            client, self._client, self._closed = self._client, None, True
        if client is None:
            return
        client.close()
        if is_lite(self._uri):
            from milvus_lite.server_manager import (  # type: ignore[import-untyped]
                server_manager_instance,
            )

            server_manager_instance.release_server(self._uri)


def create_collection(
    client: Any, name: str, dimension: int, description: str, lite: bool, load: bool
) -> None:
    """Create an empty collection with its indexes, loaded for searching if `load` says so.

    Vectors are stored with length one, so that the inner product is the cosine; Lite would
    divide every row anew in each search for its COSINE metric. Lite gets an exact index:
    its graph index passes over rows when a filter is selective (11.6 of 20 rows found among
    10,000) and is no faster, because the time goes into per-row bookkeeping either way.
    """
    from pymilvus import DataType, MilvusClient

    schema = MilvusClient.create_schema(
        auto_id=False, enable_dynamic_field=False, description=description
    )
    schema.add_field("chunk_id", DataType.VARCHAR, is_primary=True, max_length=ID_BYTES)
    for field in ("kb_id", "document_id", "access"):
        schema.add_field(field, DataType.VARCHAR, max_length=ID_BYTES)
    for field, width in TEXT_BYTES.items():
        schema.add_field(field, DataType.VARCHAR, max_length=width)
    schema.add_field("year", DataType.INT64)
    schema.add_field(DENSE, DataType.FLOAT_VECTOR, dim=dimension)
    schema.add_field(SPARSE, DataType.SPARSE_FLOAT_VECTOR)
    indexes = client.prepare_index_params()
    graph = {"M": HNSW_M, "efConstruction": HNSW_EF_CONSTRUCTION}
    indexes.add_index(
        DENSE,
        index_type="FLAT" if lite else "HNSW",
        metric_type="IP",
        params={} if lite else graph,
    )
    indexes.add_index(SPARSE, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    client.create_collection(name, schema=schema, consistency_level="Strong")
    # An empty collection's index is there at once; waiting for it costs half a second each.
    client.create_index(name, indexes, sync=not lite)
    if load:
        client.load_collection(name)
    else:  # Lite takes a collection for loaded as long as it has no index.
        client.release_collection(name)


def not_open() -> StoreError:
    """The store is used before it is opened, or after it was closed."""
    return StoreError(
        "向量库还没有打开。",
        "请稍候再试。",
        message_en="The vector store is not open yet.",
        remedy_en="Try again in a moment.",
    )


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn Milvus's failures into errors that people can read."""
    from pymilvus import MilvusException

    try:
        yield
    except MilvusException as error:
        raise _readable(str(error)) from error
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise _readable("no space left on device") from error


def _readable(text: str) -> StoreError:
    if "no space left" in text.lower() or "disk quota" in text.lower():
        return DiskFull(
            "磁盘空间不足，向量没有写入。",
            "请腾出空间后重试。",
            message_en="The disk is full; the vectors were not written.",
            remedy_en="Free some space and try again.",
            detail=text,
        )
    return StoreError(
        "向量库出错了。",
        "请重试；如果仍然出错，请在管理页面查看健康报告。",
        message_en="The vector store failed.",
        remedy_en="Try again; if it keeps failing, see the health report on the admin page.",
        detail=text,
    )


def _cannot_open(uri: str, error: Exception) -> StoreError:
    if is_lite(uri):
        return StoreError(
            "向量库打不开。",
            "请检查数据目录的权限和磁盘空间，并确认没有别的程序在使用它。",
            message_en="The vector store cannot be opened.",
            remedy_en="Check permissions and disk space of the data directory, and that no "
            "other program uses it.",
            detail=str(error),
        )
    shown = re.sub(r"//[^/@]*@", "//", uri)  # an address may hold user and password
    return StoreError(
        f"连不上向量数据库 {shown}。",
        "请确认 Milvus 已启动，地址和令牌正确。",
        message_en=f"The vector database {shown} cannot be reached.",
        remedy_en="Check that Milvus is running and that address and token are right.",
        detail=str(error).replace(uri, shown),
    )
