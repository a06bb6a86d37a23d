"""Accounts, roles and the audit log."""
