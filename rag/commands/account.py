"""`account list` and `account password NAME`: when nobody can sign in any more.

Whoever may read the data directory may set passwords; that is the recovery for a lost
administrator password.
"""

from __future__ import annotations

import argparse
import getpass
import sys
from typing import Any

from rag.application import opened
from rag.commands.output import Output
from rag.errors import NotFound
from rag.types import Person

CONSOLE = Person(id="console", name="console", role="admin")


def add_to(commands: Any, shared: argparse.ArgumentParser) -> None:
    """Register the commands."""
    account = commands.add_parser("account", help="accounts").add_subparsers(
        required=True, metavar="ACTION"
    )
    account.add_parser("list", parents=[shared], help="list them").set_defaults(run=run_list)
    password = account.add_parser(
        "password", parents=[shared], help="set a new password, typed or on standard input"
    )
    password.add_argument("name", metavar="NAME")
    password.set_defaults(run=run_password)


def run_list(args: argparse.Namespace, output: Output) -> int:
    """Print each account's name and role."""
    with opened(args.data, models=False) as application:
        for account in application.accounts.list(CONSOLE):
            value = {"name": account.name, "role": account.role, "disabled": account.disabled}
            output.line(value, f"{account.name}：{account.role}")
    return 0


def run_password(args: argparse.Namespace, output: Output) -> int:
    """Set an account's password; it is signed out everywhere."""
    with opened(args.data, models=False) as application:
        found = [a for a in application.accounts.list(CONSOLE) if a.name == args.name]
        if not found:
            raise NotFound(
                f"没有名为“{args.name}”的账号。",
                "用 account list 查看所有账号。",
                message_en=f"There is no account {args.name}.",
                remedy_en="See account list.",
            )
        application.accounts.set_password(CONSOLE, found[0].id, _typed())
    output.line({"name": args.name, "changed": True}, f"已为“{args.name}”设置新密码")
    return 0


def _typed() -> str:
    if sys.stdin.isatty():
        return getpass.getpass("新密码 / new password: ")
    return sys.stdin.readline().rstrip("\n")
