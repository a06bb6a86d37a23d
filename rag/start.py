"""What starting the application does beside building its parts."""

from __future__ import annotations

from rag.errors import ModelUnavailable


def not_ready(error: Exception) -> ModelUnavailable:
    """The error for a start that failed for a reason that nobody foresaw."""
    return ModelUnavailable(
        "启动时出了意外，模型没有就绪。",
        "请查看运行窗口里的日志，改正后重新启动。",
        message_en="Start-up failed; the models are not ready.",
        remedy_en="See the log in the console and start again.",
        detail=f"{type(error).__name__}: {error}",
    )


def limit_blas_threads() -> None:
    """One thread for numpy's products: a search over 10,000 rows costs a third of the CPU
    time that it costs with two (benchmarks/bench_store.py), and turns run side by side."""
    from threadpoolctl import ThreadpoolController

    ThreadpoolController().select(internal_api="openblas").limit(limits=1)
