"""A followed folder: real files, real jobs, a real catalog."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ingest_world import World
from source_world import ADMIN, Followed, eventually, write

from rag.errors import InvalidInput, NotAllowed, NotFound
from rag.ingest.sources import sync_run as module
from rag.types import Source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "shared" / "制度"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def followed(world: World, tmp_path: Path) -> Iterator[Followed]:
    world.jobs.start()
    made = Followed(world, folder_roots=(str(tmp_path / "shared"),), folder_every_s=1.0)
    yield made
    made.sources.stop()


def source_of(followed: Followed, folder: Path, **config: object) -> Source:
    return followed.follow("folder", name="制度库", path=str(folder), **config)


# --- By hand ---------------------------------------------------------------------------


def test_files_become_documents_named_by_their_place(followed: Followed, folder: Path) -> None:
    write(folder / "年假.txt", "年假五天。")
    write(folder / "财务" / "差旅.md", "# 差旅\n\n住宿费每天四百元。")
    source = source_of(followed, folder)
    assert followed.sync(source) == {"added": 2}
    found = followed.documents()
    assert set(found) == {"年假.txt", "财务/差旅.md"}
    trip = found["财务/差旅.md"]
    assert (trip.status, trip.source_id, trip.uploaded_by) == ("indexed", source.id, "制度库")
    assert trip.metadata.source == "制度库/财务/差旅.md"
    assert followed.sync(source) == {"unchanged": 2}
    assert followed.world.is_consistent()


def test_a_change_is_a_new_version(followed: Followed, folder: Path) -> None:
    write(folder / "年假.txt", "年假五天。")
    source = source_of(followed, folder)
    followed.sync(source)
    before = followed.documents()["年假.txt"]
    write(folder / "年假.txt", "年假十天。", age_s=30)
    assert followed.sync(source) == {"changed": 1}
    after = followed.documents()["年假.txt"]
    assert (after.id, after.version) == (before.id, 2)
    assert followed.texts("年假.txt") == "年假十天。"


def test_a_touched_file_is_not_read_again(followed: Followed, folder: Path) -> None:
    write(folder / "年假.txt", "年假五天。")
    source = source_of(followed, folder)
    followed.sync(source)
    write(folder / "年假.txt", "年假五天。", age_s=30)
    assert followed.sync(source) == {"unchanged": 1}
    assert followed.documents()["年假.txt"].version == 1


def test_a_moved_file_keeps_its_document(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    source = source_of(followed, folder)
    followed.sync(source)
    before = followed.documents()["a.txt"].id
    (folder / "存档").mkdir()
    (folder / "a.txt").rename(folder / "存档" / "年假.txt")
    assert followed.sync(source) == {"moved": 1}
    assert {name: info.id for name, info in followed.documents().items()} == {
        "存档/年假.txt": before
    }
    assert [item.key for item in followed.sources.items(ADMIN, source.id)] == ["存档/年假.txt"]
    assert followed.sync(source) == {"unchanged": 1}


@pytest.mark.parametrize("removal", ["hide", "remove", "keep"])
def test_a_deleted_file(followed: Followed, folder: Path, removal: str) -> None:
    write(folder / "a.txt", "年假五天。")
    write(folder / "b.txt", "病假三天。")
    source = source_of(followed, folder, removal=removal)
    followed.sync(source)
    (folder / "a.txt").unlink()
    assert followed.sync(source) == {"removed": 1, "unchanged": 1}
    found = {name: info.hidden for name, info in followed.documents().items()}
    expected = {
        "hide": {"a.txt": True, "b.txt": False},
        "remove": {"b.txt": False},
        "keep": {"a.txt": False, "b.txt": False},
    }
    assert found == expected[removal]
    assert followed.world.is_consistent()
    assert followed.sync(source) == {"unchanged": 1}


def test_what_comes_back_is_shown_again(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    source = source_of(followed, folder)
    followed.sync(source)
    (folder / "a.txt").unlink()
    followed.sync(source)
    assert followed.documents()["a.txt"].hidden
    write(folder / "a.txt", "年假五天。", age_s=20)
    assert followed.sync(source) == {"changed": 1}
    (folder / "a.txt").unlink()
    followed.sync(source)
    write(folder / "a.txt", "年假十天。", age_s=10)
    assert followed.sync(source) == {"changed": 1}
    info = followed.documents()["a.txt"]
    assert (info.hidden, followed.texts("a.txt")) == (False, "年假十天。")
    assert followed.world.is_consistent()


def test_two_files_of_one_content_share_a_document(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    write(folder / "b.txt", "年假五天。")
    source = source_of(followed, folder, removal="remove")
    followed.sync(source)
    assert len(followed.documents()) == 1
    write(folder / "a.txt", "年假十天。", age_s=30)
    followed.sync(source)
    followed.sync(source)
    assert sorted(followed.texts(name) for name in followed.documents()) == [
        "年假五天。",
        "年假十天。",
    ]
    (folder / "b.txt").unlink()
    followed.sync(source)
    assert [followed.texts(name) for name in followed.documents()] == ["年假十天。"]


def test_an_uploaded_document_is_not_ours(followed: Followed, folder: Path, world: World) -> None:
    uploads = [("a.txt", "年假五天。"), ("b.txt", "病假三天。")]
    for name, text in uploads:
        world.pipeline.ingest(world.file(name, text), world.kb, name)
    write(folder / "同一份.txt", "年假五天。")
    write(folder / "b.txt", "另一份同名的文件。")
    source = source_of(followed, folder, removal="remove")
    followed.sync(source)
    assert set(followed.documents()) == {"a.txt", "b.txt", "制度库/b.txt"}
    assert followed.texts("b.txt") == "病假三天。"
    (folder / "同一份.txt").unlink()
    (folder / "b.txt").unlink()
    followed.sync(source)
    assert set(followed.documents()) == {"a.txt", "b.txt"}


def test_a_bad_file_says_why_and_is_tried_when_it_changes(followed: Followed, folder: Path) -> None:
    write(folder / "空.txt", "   ")
    source = source_of(followed, folder)
    followed.sync(source)
    (item,) = followed.sources.items(ADMIN, source.id)
    assert "空白" in (item.error or "")
    assert followed.sync(source) == {"unchanged": 1}
    write(folder / "空.txt", "有字了。", age_s=30)
    followed.sync(source)
    (item,) = followed.sources.items(ADMIN, source.id)
    assert item.error is None and item.document_id
    assert followed.documents()["空.txt"].status == "indexed"


def test_what_is_left_out(followed: Followed, folder: Path, tmp_path: Path) -> None:
    outside = write(tmp_path / "秘密.txt", "外面的秘密。")
    for name in (".隐藏.txt", "~$正在编辑.docx", "下载.txt.part", "程序.exe", ".git/config.txt"):
        write(folder / name, "不收录。")
    write(folder / "真的.txt", "年假五天。")
    (folder / "链接.txt").symlink_to(folder / "真的.txt")
    (folder / "外链.txt").symlink_to(outside)
    (folder / "外面").symlink_to(tmp_path)
    (folder / "自己").symlink_to(folder)
    (folder / "断了.txt").symlink_to(folder / "没有.txt")
    os.mkfifo(folder / "管道.txt")
    source = source_of(followed, folder)
    followed.sync(source)
    assert {item.key for item in followed.sources.items(ADMIN, source.id)} == {
        "真的.txt",
        "链接.txt",
    }
    assert not any("秘密" in text for text in followed.world.chunk_texts())


def test_a_file_that_became_a_link_to_the_outside_is_not_read(
    followed: Followed, folder: Path, tmp_path: Path
) -> None:
    from rag.ingest.sources.folder import FolderConfig, look_into

    path = write(folder / "a.txt", "年假五天。")
    look = look_into(folder, FolderConfig(path=str(folder)), {}, name="库", max_bytes=1 << 20)
    path.unlink()
    path.symlink_to(write(tmp_path / "秘密.txt", "外面的秘密。"))
    (found,) = look.found
    assert found.content is not None
    with pytest.raises(FileNotFoundError):
        found.content()


def test_only_this_level_when_told_so(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    write(folder / "b" / "c.txt", "病假三天。")
    followed.sync(source_of(followed, folder, recursive=False))
    assert set(followed.documents()) == {"a.txt"}


def test_a_file_that_is_still_written_waits(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "写到一半", age_s=0)
    source = source_of(followed, folder)
    assert followed.sync(source) == {"passed_over": 1}
    assert not followed.documents()
    write(folder / "a.txt", "写完了。", age_s=5)
    assert followed.sync(source) == {"added": 1}
    write(folder / "a.txt", "又在写", age_s=0)
    assert followed.sync(source) == {"unchanged": 1}


def test_large_files_are_told(followed: Followed, folder: Path) -> None:
    ingest = followed.world.settings.ingest.model_copy(update={"max_file_mb": 1})
    followed.world.settings = followed.world.settings.model_copy(update={"ingest": ingest})
    write(folder / "大.txt", "长" * (1 << 20))
    source = source_of(followed, folder)
    assert followed.sync(source) == {"failed": 1}
    assert "1 MB" in (followed.sources.items(ADMIN, source.id)[0].error or "")


def test_names_in_an_old_encoding(followed: Followed, folder: Path) -> None:
    write(folder / os.fsdecode("年假.txt".encode("gb18030")), "年假五天。")
    followed.sync(source_of(followed, folder))
    assert set(followed.documents()) == {"年假.txt"}


def test_a_folder_that_cannot_be_read_loses_nothing(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    source = source_of(followed, folder, removal="remove")
    followed.sync(source)
    folder.rename(folder.with_name("断开"))
    with pytest.raises(NotFound):
        followed.sync(source)
    failed = followed.sources.list(ADMIN)[0]
    assert failed.status == "failed" and "制度" in (failed.error or "")
    assert not followed.documents()["a.txt"].hidden
    folder.with_name("断开").rename(folder)
    assert followed.sync(source) == {"unchanged": 1}
    assert followed.sources.list(ADMIN)[0].status == "ok"


def test_everything_gone_at_once_is_hidden_rather_than_removed(
    followed: Followed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SUSPICIOUS", 3)
    for number in range(3):
        write(folder / f"{number}.txt", f"第{number}条规定。")
    source = source_of(followed, folder, removal="remove")
    followed.sync(source)
    for path in folder.iterdir():
        path.unlink()
    assert followed.sync(source) == {"removed": 3}
    assert [info.hidden for info in followed.documents().values()] == [True] * 3


def test_many_files_are_queued_in_turns(
    followed: Followed, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    for number in range(5):
        write(folder / f"{number}.txt", f"第{number}条规定。")
    source = source_of(followed, folder)
    assert followed.sync(source) == {"added": 3, "unfinished": 1}
    assert followed.sync(source) == {"added": 2, "unchanged": 3}
    assert len(followed.documents()) == 5


# --- What may be followed --------------------------------------------------------------


def test_only_folders_below_the_roots(followed: Followed, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (folder / "出去").symlink_to(other)
    for path in (other, folder / ".." / ".." / "other", folder / "出去", tmp_path, Path("/")):
        with pytest.raises(NotAllowed):
            source_of(followed, path)
    with pytest.raises(NotFound):
        source_of(followed, folder / "没有")
    for wrong in ("制度", "", "a\0b"):
        with pytest.raises(InvalidInput):
            followed.follow("folder", path=wrong)
    with pytest.raises(InvalidInput):
        source_of(followed, folder, removal="burn")
    assert followed.sources.list(ADMIN) == []


def test_no_roots_no_folders(world: World, folder: Path) -> None:
    with pytest.raises(NotAllowed):
        Followed(world).follow("folder", path=str(folder))


def test_a_root_that_was_taken_back(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    source = source_of(followed, folder)
    followed.sync(source)
    sources = followed.world.settings.sources.model_copy(update={"folder_roots": ()})
    followed.world.settings = followed.world.settings.model_copy(update={"sources": sources})
    with pytest.raises(NotAllowed):
        followed.sync(source)
    assert not followed.documents()["a.txt"].hidden


# --- In the background -----------------------------------------------------------------


def test_changes_are_followed_within_ten_seconds(followed: Followed, folder: Path) -> None:
    followed.sources.start()
    source_of(followed, folder)

    def states() -> dict[str, tuple[str, bool]]:
        return {name: (d.status, d.hidden) for name, d in followed.documents().items()}

    (folder / "a.txt").write_text("年假五天。", encoding="utf-8")
    eventually(lambda: states() == {"a.txt": ("indexed", False)})
    identity = followed.documents()["a.txt"].id
    (folder / "a.txt").write_text("年假十天。", encoding="utf-8")
    eventually(lambda: followed.documents()["a.txt"].version == 2)
    (folder / "a.txt").rename(folder / "b.txt")
    eventually(lambda: states() == {"b.txt": ("indexed", False)})
    assert followed.documents()["b.txt"].id == identity
    (folder / "b.txt").unlink()
    eventually(lambda: states() == {"b.txt": ("indexed", True)})
    assert followed.world.chunk_texts() == ["年假十天。"]
    assert followed.world.catalog.chunks.searchable_ids(followed.world.kb) == set()


def test_stopping_ends_in_time_and_starting_goes_on(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    source_of(followed, folder)
    followed.sources.start()
    eventually(lambda: "a.txt" in followed.documents())
    followed.sources.stop()
    write(folder / "b.txt", "病假三天。")
    followed.sources.start()
    eventually(lambda: "b.txt" in followed.documents())
    followed.sources.stop()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("source")]


def test_a_source_that_was_cut_off_is_taken_up_again(followed: Followed, folder: Path) -> None:
    write(folder / "a.txt", "年假五天。")
    source = source_of(followed, folder)
    assert followed.world.catalog.sources.claim(source.id)
    with pytest.raises(InvalidInput):
        followed.sources.sync(source.id)
    followed.sources.start()
    eventually(lambda: "a.txt" in followed.documents())
