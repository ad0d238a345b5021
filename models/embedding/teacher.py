"""The sentence model that is distilled: all-MiniLM-L6-v2 (Apache-2.0), as an int8 ONNX file.

`folder` holds `model.onnx` and `tokenizer.json`; README.md says where they come from. A text's vector is the mean of
the last layer over its tokens, made a unit vector, as the model's authors do it.
"""

import pathlib

import numpy as np
import onnxruntime
import tokenizers

WIDTH = 384
MAX_TOKENS = 256
BATCH = 64


class Teacher:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 2
        # Idle threads would otherwise spin and take the processor from the others.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), settings, ["CPUExecutionProvider"])

    def encode_ids(self, encoded):
        """Lists of token ids, `[CLS]` and `[SEP]` included -> unit vectors. A batch holds texts of about one length."""
        order = sorted(range(len(encoded)), key=lambda position: len(encoded[position]))
        vectors = np.zeros((len(encoded), WIDTH), np.float32)
        for start in range(0, len(order), BATCH):
            chunk = order[start : start + BATCH]
            ids = np.zeros((len(chunk), len(encoded[chunk[-1]])), np.int64)
            mask = np.zeros_like(ids)
            for row, position in enumerate(chunk):
                ids[row, : len(encoded[position])] = encoded[position]
                mask[row, : len(encoded[position])] = 1
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            (states,) = self.session.run(["last_hidden_state"], feed)
            vectors[chunk] = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def encode(self, texts):
        return self.encode_ids([encoding.ids[:MAX_TOKENS] for encoding in self.tokenizer.encode_batch(list(texts))])
