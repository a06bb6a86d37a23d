"""Model folders with tiny random weights, as transformers saves them."""

from __future__ import annotations

import string
from pathlib import Path

HIDDEN = 32
POSITIONS = 64
CHARACTERS = "杭州北京上海人才住房补贴标准是多少硕士每月两千元员工请假须提前三天年怎么申的，。？"


def save_encoder(folder: Path, labels: int = 0, kind: str = "bert") -> Path:
    """A BERT encoder (or, with `labels`, a classifier as rerankers are) with a small vocabulary."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer

    folder.mkdir(parents=True)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces += list(dict.fromkeys(CHARACTERS)) + list(string.ascii_lowercase) + list(string.digits)
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
    tokenizer = BertTokenizer(vocab={piece: i for i, piece in enumerate(pieces)})
    tokenizer.model_max_length = POSITIONS
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        num_labels=labels or 2,
    )
    model = BertForSequenceClassification(config) if labels else BertModel(config)
    model.eval().save_pretrained(folder)
    return folder
