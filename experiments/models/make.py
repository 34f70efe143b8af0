#!/usr/bin/env python3
"""Writes the models' files from their published architectures: one row for each parameter tensor, in
the order in which the backward pass has its gradient ready (parameters backwards), with the FLOPs
of that pass for one sample. experiments/README.md says what the columns mean.

    experiments/models/make.py        # writes *.csv beside itself

FLOPs: a matrix product or a convolution of N multiply-adds forward takes 2 N forward, and 4 N
backward (one product for the input's gradient, one for the weight's); the first layer, whose
input needs no gradient, 2 N. Attention's two products of scores and values stand with the
projection of its output. Norms, biases, activations and embeddings are counted as none."""
import os


def rows_linear(name, i, o, tokens, bias=True, extra=0, first=False):
    rows = [(name + ".weight", i * o, (2 if first else 4) * i * o * tokens + extra)]
    return rows + ([(name + ".bias", o, 0)] if bias else [])


def rows_norm(name, c, bias=True):
    return [(name + ".weight", c, 0)] + ([(name + ".bias", c, 0)] if bias else [])


def attention(tokens, hidden):
    return 8 * tokens * tokens * hidden  # backward: twice the 2 × 2 × tokens² × hidden of forward


def lenet5():
    def conv(name, i, o, k, out, first=False):
        return [(name + ".weight", i * o * k * k, (2 if first else 4) * i * o * k * k * out * out),
                (name + ".bias", o, 0)]
    return (conv("conv1", 1, 6, 5, 28, True) + conv("conv2", 6, 16, 5, 10) + rows_linear("fc1", 400, 120, 1)
            + rows_linear("fc2", 120, 84, 1) + rows_linear("fc3", 84, 10, 1))


def resnet50():
    def conv(name, i, o, k, out, first=False):
        return [(name + ".weight", i * o * k * k, (2 if first else 4) * i * o * k * k * out * out)]
    rows = conv("conv1", 3, 64, 7, 112, True) + rows_norm("bn1", 64)
    inputs = 64
    for stage, (width, blocks, size) in enumerate([(64, 3, 56), (128, 4, 28), (256, 6, 14), (512, 3, 7)], 1):
        for block in range(blocks):
            at = f"layer{stage}.{block}."
            before = size * 2 if block == 0 and stage > 1 else size  # the 3 × 3 convolution strides
            rows += conv(at + "conv1", inputs, width, 1, before) + rows_norm(at + "bn1", width)
            rows += conv(at + "conv2", width, width, 3, size) + rows_norm(at + "bn2", width)
            rows += conv(at + "conv3", width, 4 * width, 1, size) + rows_norm(at + "bn3", 4 * width)
            if block == 0:
                rows += conv(at + "downsample.0", inputs, 4 * width, 1, size) + rows_norm(at + "downsample.1", 4 * width)
            inputs = 4 * width
    return rows + rows_linear("fc", 2048, 1000, 1)


def bert_large():
    h, tokens = 1024, 512
    rows = [("embeddings.word", 30522 * h, 0), ("embeddings.position", 512 * h, 0), ("embeddings.type", 2 * h, 0)]
    rows += rows_norm("embeddings.norm", h)
    for i in range(24):
        at = f"layer.{i}."
        for part in ("query", "key", "value"):
            rows += rows_linear(at + part, h, h, tokens)
        rows += rows_linear(at + "attention", h, h, tokens, extra=attention(tokens, h)) + rows_norm(at + "norm1", h)
        rows += rows_linear(at + "intermediate", h, 4 * h, tokens) + rows_linear(at + "output", 4 * h, h, tokens)
        rows += rows_norm(at + "norm2", h)
    return rows + rows_linear("pooler", h, h, 1)


def gpt2_xl():
    h, tokens, words = 1600, 1024, 50257
    rows = [("wte", words * h, 0), ("wpe", 1024 * h, 0)]
    for i in range(48):
        at = f"h.{i}."
        rows += rows_norm(at + "ln_1", h) + rows_linear(at + "attn.c_attn", h, 3 * h, tokens)
        rows += rows_linear(at + "attn.c_proj", h, h, tokens, extra=attention(tokens, h)) + rows_norm(at + "ln_2", h)
        rows += rows_linear(at + "mlp.c_fc", h, 4 * h, tokens) + rows_linear(at + "mlp.c_proj", 4 * h, h, tokens)
    # The output's weight is the word embedding's: its work comes first, its gradient last.
    return rows + rows_norm("ln_f", h) + [("lm_head (wte)", 0, 4 * h * words * tokens)]


def llama_7b():
    h, inner, tokens, words = 4096, 11008, 2048, 32000
    rows = [("embed_tokens", words * h, 0)]
    for i in range(32):
        at = f"layers.{i}."
        for part in ("q_proj", "k_proj", "v_proj"):
            rows += rows_linear(at + part, h, h, tokens, False)
        rows += rows_linear(at + "o_proj", h, h, tokens, False, attention(tokens, h))
        rows += rows_linear(at + "gate_proj", h, inner, tokens, False) + rows_linear(at + "up_proj", h, inner, tokens, False)
        rows += rows_linear(at + "down_proj", inner, h, tokens, False)
        rows += rows_norm(at + "input_layernorm", h, False) + rows_norm(at + "post_attention_layernorm", h, False)
    return rows + rows_norm("norm", h, False) + rows_linear("lm_head", h, words, tokens, False)


MODELS = [
    (lenet5, "LeNet-5, small enough for CPUs: LeCun, Bottou, Bengio, Haffner, Gradient-Based Learning Applied to "
             "Document Recognition, 1998, with full connections in its second convolution", "an image of 32 x 32"),
    (resnet50, "ResNet-50, stride in the 3 x 3 convolution (v1.5): He, Zhang, Ren, Sun, Deep Residual Learning for "
               "Image Recognition, 2015 (arXiv 1512.03385), table 1", "an image of 224 x 224"),
    (bert_large, "BERT-large, uncased: Devlin, Chang, Lee, Toutanova, BERT, 2018 (arXiv 1810.04805): 24 layers, width 1024, "
                 "30522 words; encoder and pooler", "a sequence of 512 tokens"),
    (gpt2_xl, "GPT-2 XL: Radford, Wu, Child, Luan, Amodei, Sutskever, Language Models are Unsupervised Multitask Learners, "
              "2019, table 2: 48 layers, width 1600, 50257 words", "a sequence of 1024 tokens"),
    (llama_7b, "LLaMA 7B: Touvron et al., LLaMA, 2023 (arXiv 2302.13971), table 2: 32 layers, width 4096, 32000 words, inner "
               "width 11008", "a sequence of 2048 tokens"),
]

for make, source, sample in MODELS:
    rows = list(reversed(make()))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), make.__name__ + ".csv"), "w") as out:
        out.write(f"# {source}.\n# A sample is {sample}. {sum(r[1] for r in rows)} parameters, "
                  f"{sum(r[2] for r in rows) / 1e9:.6g} GFLOP backward. Written by make.py.\n")
        out.write("name,elements,flops\n")
        out.writelines(",".join(str(x) for x in row) + "\n" for row in rows)
