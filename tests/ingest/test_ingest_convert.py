from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from ingest_inputs import docx, numbered, numbering, read, rows, texts, xlsx

from rag.errors import CorruptDocument, UnsupportedFormat
from rag.ingest.convert import converted, find_office
from rag.ingest.inspect import DOCX, XLSX, inspect
from rag.settings import IngestSettings

SETTINGS = IngestSettings()
RTF = (
    rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset134 SimSun;}}\f0 "
    rb"\u31532?\u19968?\u26465? abc\par}"
)
SPREADSHEET_XML = """<?xml version="1.0" encoding="UTF-8"?>
<?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
 xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="表"><Table>
<Row><Cell><Data ss:Type="String">姓名</Data></Cell>
<Cell><Data ss:Type="String">工号</Data></Cell></Row>
<Row><Cell><Data ss:Type="String">张三</Data></Cell>
<Cell><Data ss:Type="String">007</Data></Cell></Row>
</Table></Worksheet></Workbook>"""

installed = pytest.mark.skipif(find_office() is None, reason="LibreOffice isn't installed")


def program(folder: Path, script: str) -> str:
    """A program in the place of LibreOffice."""
    path = folder / "soffice"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("content", "old", "media_type", "names"),
    [
        (RTF, ".rtf", DOCX, "RTF"),
        (SPREADSHEET_XML.encode(), ".xls.xml", XLSX, "Excel XML"),
    ],
)
def test_formats_that_need_a_conversion_say_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    old: str,
    media_type: str,
    names: str,
) -> None:
    path = tmp_path / "资料.doc"
    path.write_bytes(content)
    monkeypatch.setattr("rag.ingest.inspect.find_office", lambda: "/usr/bin/soffice")
    found = inspect(path, SETTINGS)
    assert (found.convert_from, found.media_type) == (old, media_type)
    monkeypatch.setattr("rag.ingest.inspect.find_office", lambda: None)
    with pytest.raises(UnsupportedFormat) as caught:
        inspect(path, SETTINGS)
    assert names in caught.value.message
    assert "LibreOffice" in caught.value.remedy


@installed
def test_rtf_and_xml_files_are_read(tmp_path: Path) -> None:
    rtf, sheet = tmp_path / "制度.doc", tmp_path / "表.xls"
    rtf.write_bytes(RTF)
    sheet.write_text(SPREADSHEET_XML, encoding="utf-8")
    document = read(rtf)
    assert texts(document) == ["第一条 abc"]
    assert document.flags == ("other_format", "converted")
    assert rows(read(sheet)) == [[("姓名", "工号"), ("张三", "007")]]


@installed
@pytest.mark.parametrize("extension", ["doc", "odt"])
def test_old_word_files_keep_their_numbers(tmp_path: Path, extension: str) -> None:
    path = docx(
        tmp_path / "a.docx",
        lambda d: numbered(d, "内容。", numbering(d, [("chineseCounting", "第%1条")])),
    )
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [str(find_office()), "--headless", profile, "--convert-to", extension, "--outdir"]
    subprocess.run([*command, str(tmp_path), str(path)], check=True, capture_output=True)
    document = read(tmp_path / f"a.{extension}")
    assert texts(document) == ["第一条 内容。"]
    assert document.media_type == DOCX
    assert document.flags == ("converted",)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_conversion_that_hangs_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child"
    fake = program(tmp_path, f"sleep 60 & echo $! > {child}; wait")
    monkeypatch.setattr("rag.ingest.convert.find_office", lambda: fake)
    source = xlsx(tmp_path / "a.xlsx", lambda w: w.active.append(["甲"]))
    started = time.monotonic()
    with (
        pytest.raises(CorruptDocument, match="没有转换完"),
        converted(source, ".xls", SETTINGS, timeout_s=1.0),
    ):
        pass
    # Killed processes go a moment later; the fake one would sleep for a minute.
    while is_running(int(child.read_text())) and time.monotonic() - started < 50:
        time.sleep(0.05)
    assert time.monotonic() - started < 50


CONVERTING = """
import sys
from pathlib import Path
from rag.ingest.convert import converted
from rag.settings import IngestSettings
import rag.ingest.convert as convert
convert.find_office = lambda: sys.argv[1]
with converted(Path(sys.argv[2]), ".xls", IngestSettings()):
    pass
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_conversion_ends_with_the_process_that_waits_for_it(tmp_path: Path) -> None:
    child, room = tmp_path / "child", tmp_path / "rooms"
    room.mkdir()
    fake = program(tmp_path, f"sleep 300 & echo $! > {child}.new; mv {child}.new {child}; wait")
    source = xlsx(tmp_path / "a.xlsx", lambda w: w.active.append(["甲"]))
    waiting = subprocess.Popen(
        [sys.executable, "-c", CONVERTING, fake, str(source)],
        env={**os.environ, "TMPDIR": str(room)},
    )
    began = time.monotonic()
    while not child.exists() and time.monotonic() - began < 60:
        time.sleep(0.05)
    process = int(child.read_text())
    assert is_running(process)
    waiting.kill()
    waiting.wait()
    while (is_running(process) or list(room.iterdir())) and time.monotonic() - began < 120:
        time.sleep(0.05)
    assert not is_running(process), "it would sleep for five minutes"
    assert list(room.iterdir()) == [], "nothing of it is left on the disk"


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_conversion_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Exception):
        pass

    def stop(_: float) -> None:
        raise Stopped

    monkeypatch.setattr("rag.ingest.convert.find_office", lambda: program(tmp_path, "sleep 60"))
    source = xlsx(tmp_path / "a.xlsx", lambda w: w.active.append(["甲"]))
    with pytest.raises(Stopped), converted(source, ".xls", SETTINGS, stop):
        pass


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_file_that_cannot_be_converted_is_corrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = program(tmp_path, "echo source file could not be loaded; exit 1")
    monkeypatch.setattr("rag.ingest.convert.find_office", lambda: fake)
    source = xlsx(tmp_path / "a.xlsx", lambda w: w.active.append(["甲"]))
    with pytest.raises(CorruptDocument) as caught, converted(source, ".doc", SETTINGS):
        pass
    assert "旧版 Word" in caught.value.message
    assert "could not be loaded" in caught.value.detail


def is_running(process: int) -> bool:
    """Whether a process exists and isn't merely waiting to be collected."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
