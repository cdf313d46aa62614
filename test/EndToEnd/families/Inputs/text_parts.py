# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decoders of models that read images, too: their config is `text_config`, and the names of their
tensors have one more part, as version 5 of transformers writes them, or version 4."""
from llama_like import Gemma3, Mistral


class Renamed:
    """Tensors by the names that the decoder alone would have."""

    def __init__(self, tensors, model, head):
        self.tensors, self.model, self.head = tensors, model, head

    def __call__(self, name, *shape, **more):
        if name.startswith("lm_head."):
            return self.tensors(self.head + name, *shape, **more)
        return self.tensors(self.model + name.removeprefix("model."), *shape, **more)


class Gemma3Images(Gemma3):
    def __init__(self, config, tensors):
        tensors("vision_tower.embeddings.weight", 3, 4)  # of images, which is left out
        tensors("multi_modal_projector.weight", 3, 4)
        super().__init__(config["text_config"], Renamed(tensors, "model.language_model.", ""))


class Mistral3(Mistral):
    def __init__(self, config, tensors):
        tensors("model.vision_tower.weight", 3, 4)
        names = "language_model.model.", "language_model."
        super().__init__(config["text_config"], Renamed(tensors, *names))


def vocabulary_of(config):
    return config.get("text_config", config)["vocab_size"]
