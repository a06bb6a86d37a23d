from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest_inputs import read

from rag.ingest.parse.code import TOP_LEVEL, parse_code

PYTHON = '''"""订单。"""
import os

LIMIT = 3


@cached
def total(items):
    """合计。"""
    return sum(items)


# 订单服务
class Order:
    """一个订单。"""

    def pay(self):
        return 1
{filler}
    async def ship(self):
        return 2


if __name__ == "__main__":
    main()
'''
LONG = PYTHON.replace("{filler}", "\n".join(f"        self.x{n} = {n}" for n in range(40)) + "\n")
JAVA = """package a;
import java.util.*;

/** 用户服务。 */
@Service
public class UserService {
    private int n;
    public UserService(int n) { this.n = n; }
    // 查询
    public List<User> find(String name) {
        return dao.find(name);
    }
}
interface Dao { void save(); }
"""
JAVASCRIPT = """import x from 'y'
// 加法
export function add(a, b) {
  return a + b
}
export const sub = (a, b) => a - b
class Shape {
  area() { return 0 }
}
console.log(add(1, 2))
"""
TYPESCRIPT = (
    "export interface User {\n  id: number\n}\nexport async function load(id: number) {\n}\n"
)
GO = """package main

// User 用户
type User struct {
	Name string
}

func (u *User) Hello() string {
	return u.Name
}

func main() {
}
"""
C = """#include <stdio.h>
#define N 3
/* 点 */
typedef struct { int x; } Point;
static int *make(int n)
{
    return 0;
}
int main(void) {
    return 0;
}
"""
CPP = """#include <vector>
namespace geo {
template <typename T>
class Box {
 public:
  T get() const { return v; }
};
}
int Box_area(int a) { return a; }
"""
RUST = "struct P { x: i32 }\nimpl P {\n    fn new() -> P { P { x: 1 } }\n}\nfn main() {}\n"
SHELL = """#!/bin/bash
set -e
# 备份
backup() {
  tar cf a.tar b
}
function clean {
  rm a
}
backup
"""
SQL = """-- 员工表
CREATE TABLE IF NOT EXISTS `emp` (
  id INT,
  name VARCHAR(20)
);
INSERT INTO emp VALUES (1, '张三;李四');
CREATE OR REPLACE FUNCTION pay(n INT) RETURNS INT AS $$
BEGIN
  UPDATE emp SET id = 1;
  RETURN n;
END;
$$ LANGUAGE plpgsql;
SELECT * FROM emp;
"""
KOTLIN = """package a

data class User(val name: String)

// 打招呼
fun hello(u: User) {
  println(u)
}
"""
PHP = "<?php\nclass A {\n  public function run() { return 1; }\n}\nfunction go() {}\n"
RUBY = "class A\n  def run\n    1\n  end\nend\n\ndef go\nend\n"
CSHARP = "namespace N {\n  public class A {\n    public int Run() { return 1; }\n  }\n}\n"


def headings(text: str, extension: str) -> list[str]:
    return [b.text for b in parse_code(text, extension)[0].blocks if b.kind == "heading"]


def code(text: str, extension: str) -> str:
    return "\n".join(b.text for b in parse_code(text, extension)[0].blocks if b.kind == "code")


def filled(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("text", "extension", "expected"),
    [
        (PYTHON.replace("{filler}", ""), ".py", ["total()", "class Order", TOP_LEVEL]),
        (LONG, ".py", ["total()", "class Order", "Order.pay()", "Order.ship()", TOP_LEVEL]),
        (JAVA, ".java", ["class UserService", "interface Dao"]),
        (JAVASCRIPT, ".js", ["add()", "sub()", "class Shape", TOP_LEVEL]),
        (TYPESCRIPT, ".ts", ["interface User", "load()"]),
        (GO, ".go", ["type User", "User.Hello()", "main()"]),
        (C, ".c", ["struct Point", "make()", "main()"]),
        (CPP, ".cpp", ["namespace geo", "Box_area()"]),
        (RUST, ".rs", ["struct P", "impl P", "main()"]),
        (SHELL, ".sh", ["backup()", "clean()", TOP_LEVEL]),
        (SQL, ".sql", ["TABLE emp", TOP_LEVEL, "FUNCTION pay", TOP_LEVEL]),
        (KOTLIN, ".kt", ["class User", "hello()"]),
        (PHP, ".php", ["class A", "go()"]),
        (RUBY, ".rb", ["class A", "go()"]),
        (CSHARP, ".cs", ["namespace N"]),
    ],
)
def test_definitions_are_found_and_every_line_is_kept(
    text: str, extension: str, expected: list[str]
) -> None:
    assert headings(text, extension) == expected
    assert filled(code(text, extension)) == filled(text)


def test_comments_and_decorators_stay_with_what_they_are_about() -> None:
    blocks = parse_code(PYTHON.replace("{filler}", ""), "py")[0].blocks
    by_heading = {a.text: b.text for a, b in pairwise(blocks) if a.kind == "heading"}
    assert by_heading["total()"].startswith("@cached")
    assert by_heading["class Order"].startswith("# 订单服务")
    assert "/** 用户服务。 */\n@Service" in code(JAVA, "java").split("\n\n")[-1]


def test_broken_code_is_cut_by_its_lines() -> None:
    text = "def f(:\n    pass\n\nclass A\n    x = \n"
    assert headings(text, ".py") == ["f()", "class A"]
    assert filled(code(text, ".py")) == filled(text)


def test_a_file_without_definitions_is_one_block() -> None:
    assert [b.kind for b in parse_code("x = 1\ny = 2\n", ".py")[0].blocks] == ["code"]
    assert parse_code("", ".py")[0].blocks == ()


def test_the_file_is_recognised_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "订单.java"
    path.write_bytes(JAVA.encode("gbk"))
    document = read(path)
    assert document.blocks[1].kind == "heading"
    assert any("查询" in block.text for block in document.blocks)


@given(
    st.lists(st.sampled_from([*filled(PYTHON), *filled(JAVA), *filled(SQL), "", "}", "{", "  "])),
    st.sampled_from(["py", "java", "js", "c", "cpp", "go", "sql", "sh", "kt", "rb", "xyz"]),
)
def test_no_line_is_lost_however_broken_the_code(lines: list[str], extension: str) -> None:
    assert filled(code("\n".join(lines), extension)) == filled("\n".join(lines))
