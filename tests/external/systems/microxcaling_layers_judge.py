#!/usr/bin/env python3
"""mxgold.microxcaling, compat, against the package: linear, matmul, bmm, convolutions, simd operations, activations,
softmax, norms and quantize_bfloat with their gradients, and specifications. Every key of a specification differs from
the next, so that a swapped one shows."""

import argparse
import itertools
import os
import sys
import warnings
from pathlib import Path

import numpy as np

from judge import Judge, need

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
sys.path.insert(0, os.environ.get("MX_MICROXCALING") or os.environ.get("MX_MICROXCALING_DEFAULT", ""))
torch, theirs, their_specs, ours = need("torch", "mx", "mx.specs", "mxgold.microxcaling")
mxgold, their_vectors = need("mxgold", "mx.vector_ops")

FORMATS = ("fp8_e4m3", "fp4", "int8", "fp6_e3m2", "fp8_e5m2", "fp6_e2m3")
ROUNDINGS = ("nearest", "even", "floor")
FORMAT_KEYS = tuple(key for key in their_specs.MxSpecs() if "elem_format" in key)
ROUND_KEYS = tuple(key for key in their_specs.MxSpecs() if key.startswith("round"))


def specifications():
    """Formats and roundings shifted against each other, block sizes, a bfloat or an fp format."""
    for shift in range(6):
        specs = {key: FORMATS[(i + shift) % 6] for i, key in enumerate(FORMAT_KEYS)}
        specs |= {key: ROUNDINGS[(i // (shift + 1) + i + shift) % 3] for i, key in enumerate(ROUND_KEYS)}
        specs |= {"block_size": (0, 4, 8, 16, 3, 32)[shift], "scale_bits": (0, 8, 5, 8, 7, 0)[shift]}
        specs |= ({"bfloat": 12}, {"fp": 11}, {}, {"bfloat": 16}, {"bfloat": 10, "bfloat_subnorms": False},
                  {"fp": 9})[shift]
        specs["quantize_backprop"] = shift != 3
        specs["vec_use_recip"] = shift == 1
        specs["vec_use_exp2"] = shift == 4
        yield specs


def words(tensor):
    tensor = tensor.detach().float().contiguous()
    bits = tensor.view(torch.int32).numpy().view(np.uint32).copy()
    bits[torch.isnan(tensor).numpy()] = 0x7FC00000
    return bits.reshape(-1)


def outcome(function, inputs, seed):
    """Results and gradients of a function of tensors, as words."""
    inputs = [x.clone().requires_grad_(True) for x in inputs]
    results = function(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    torch.manual_seed(seed)
    torch.autograd.backward(results, [torch.randn_like(result) for result in results])
    return np.concatenate([words(each) for each in (*results, *(x.grad for x in inputs))])


class Layers:
    def __init__(self, judge):
        self.judge = judge
        torch.manual_seed(judge.args.seed)

    def same(self, what, call, shapes, specs, positive=False, sees_wrong=True):
        """`call(package, mx_specs, *tensors)` of both packages."""
        inputs = [torch.randn(shape) for shape in shapes]
        if positive:
            inputs = [x.abs() + 0.01 for x in inputs]
        expected = outcome(lambda *x: call(theirs, their_specs.finalize_mx_specs(dict(specs)), *x), inputs, 5)
        if self.judge.args.wrong:
            specs = {**specs, **{key: "floor" for key in ROUND_KEYS}}
        with mxgold.mode("compat"):
            found = outcome(lambda *x: call(ours, ours.finalize_mx_specs(dict(specs)), *x), inputs, 5)
        self.judge.same(what, np.arange(found.size), found, expected, sees_wrong)


def judge_products(judge):
    layers = Layers(judge)
    for number, specs in enumerate(specifications()):
        for shape in ((6, 20), (3, 5, 20)):
            layers.same(f"linear {number} {shape}", lambda package, s, x, w, b: package.linear(x, w, b, mx_specs=s),
                        (shape, (7, 20), (7,)), specs)
            layers.same(f"linear without bias {number}", lambda package, s, x, w: package.linear(x, w, mx_specs=s),
                        (shape, (7, 20)), specs)
        for config in ("aa", "aw", "wa"):
            layers.same(f"matmul {number} {config}",
                        lambda package, s, a, b, c: package.matmul(a, b, c, mx_specs=s, mode_config=config),
                        ((4, 9, 20), (4, 20, 6), (6,)), specs)
        layers.same(f"bmm {number}", lambda package, s, a, b: package.bmm(a, b, mx_specs=s),
                    ((4, 9, 20), (4, 20, 6)), specs)

        def module(package, s, x):
            torch.manual_seed(11)
            layer = package.Linear(20, 7, mx_specs=s)
            return layer(x)
        layers.same(f"Linear {number}", module, ((6, 20),), specs)


def judge_simd(judge):
    layers = Layers(judge)
    shapes = (((6, 20), (6, 20)), ((6, 20), (20,)), ((6, 20), (6, 1)), ((1, 20), (6, 20)), ((3, 6, 20), (6, 1)))
    for number, specs in enumerate(specifications()):
        has_format = specs.get("bfloat") or specs.get("fp")
        # Roundings other than "round" are not read here, and quotients of 12 and more bits hide it rarely.
        sees = bool(has_format) and specs["round"] != "floor"
        for name, pair in itertools.product(("add", "sub", "mul", "div"), shapes):
            layers.same(f"simd_{name} {number} {pair}", lambda p, s, a, b: getattr(p, f"simd_{name}")(a, b, mx_specs=s),
                        pair, specs, sees_wrong=sees)
            if name != "div" or not specs["vec_use_recip"]:  # a number has no reciprocal there
                layers.same(f"simd_{name} {number} 3.3",
                            lambda p, s, a: getattr(p, f"simd_{name}")(a, 3.3, mx_specs=s), pair[:1], specs,
                            sees_wrong=sees)
        for name in ("square", "sqrt", "exp", "log", "split", "reduce_sum", "reduce_mean", "norm"):
            layers.same(f"simd_{name} {number}", lambda p, s, a: getattr(p, f"simd_{name}")(a, mx_specs=s), ((6, 20),),
                        specs, positive=True, sees_wrong=False)
        for dim, keep in ((0, False), ([-1], True), ([0, 2], False)):
            for name in ("reduce_sum", "reduce_mean"):
                layers.same(f"simd_{name} {number} {dim}",
                            lambda p, s, a: getattr(p, f"simd_{name}")(a, dim, keep, mx_specs=s), ((3, 6, 20),), specs,
                            sees_wrong=False)
        layers.same(f"quantize_bfloat {number}", lambda p, s, a: p.quantize_bfloat(a, s), ((6, 20),), specs,
                    sees_wrong=sees)
        judge_vectors(judge, number, specs)


def judge_vectors(judge, number, specs):
    x, y = torch.rand(6, 20) + 0.01, torch.rand(6, 20) + 0.01
    for name, arguments in (("quantize", (x,)), ("add", (x, y)), ("sub", (x, y)), ("mul", (x, y)), ("div", (x, y)),
                            ("exp", (x,)), ("exp2", (x,)), ("recip", (x,)), ("sqrt", (x,)), ("tanh", (x,)),
                            ("reduce_sum", (x, -1)), ("reduce_mean", (x, [0, 1]))):
        if name == "reduce_mean" and specs["vec_use_recip"]:
            continue
        expected = getattr(their_vectors, f"vec_{name}")(*arguments, mx_specs=their_specs.apply_mx_specs(specs))
        with mxgold.mode("compat"):
            given = {**specs, "round": "floor"} if judge.args.wrong else specs
            found = getattr(ours, f"vec_{name}")(*arguments, mx_specs=ours.apply_mx_specs(given))
        judge.same(f"vec_{name} {number}", np.arange(found.numel()), words(found), words(expected), False)


def judge_convolutions(judge):
    """Functions and layers of one to three dimensions, strides, paddings, dilations and groups."""
    layers = Layers(judge)
    sizes = {1: (11,), 2: (7, 6), 3: (5, 4, 6)}
    settings = ({}, {"stride": 2, "padding": 1}, {"dilation": 2, "padding": 2}, {"groups": 2})
    for number, specs in enumerate(specifications()):
        # Blocks are rounded to nearest whatever the keys say.
        sees = bool(specs.get("bfloat") or specs.get("fp"))
        for dimensions, size in sizes.items():
            for setting in settings:
                groups = setting.get("groups", 1)
                shapes = ((3, 4, *size), (6, 4 // groups, *(3,) * dimensions), (6,))
                for with_bias in (True, False):
                    layers.same(f"conv{dimensions}d {number} {setting} {with_bias}",
                                lambda p, s, *x: getattr(p, f"conv{dimensions}d")(*x, mx_specs=s, **setting),
                                shapes[:3 if with_bias else 2], specs, sees_wrong=sees)

                def module(package, s, x):
                    torch.manual_seed(7)
                    return getattr(package, f"Conv{dimensions}d")(4, 6, 3, mx_specs=s, **setting)(x)
                layers.same(f"Conv{dimensions}d {number} {setting}", module, shapes[:1], specs, sees_wrong=sees)

    def plain(package, s, x):
        torch.manual_seed(7)
        return package.Conv2d(4, 6, 3)(x)
    layers.same("Conv2d without", plain, ((2, 4, 5, 3),), {"bfloat": 16}, sees_wrong=False)


def refuses(call, package, specs, shapes):
    """Does a call raise AttributeError, in compat?"""
    try:
        with mxgold.mode("compat"):
            call(package, specs, *(torch.ones(shape) for shape in shapes))
    except AttributeError:
        return True
    return False


def judge_rounded_gradients(judge):
    """Strict: the gradient of RMSNorm is a bfloat number, too, which the package's is not (spec S7.6)."""
    for mode, is_rounded in (("strict", True), ("compat", False)):
        with mxgold.mode(mode):
            torch.manual_seed(judge.args.seed)
            specs = ours.finalize_mx_specs({"bfloat": 16})
            x = torch.randn(8, 20, requires_grad=True)
            ours.RMSNorm(20, mx_specs=specs)(x).sum().backward()
            again = ours.quantize_bfloat(x.grad, specs)
        agrees = bool((again == x.grad).all()) == is_rounded
        judge.same(f"gradient of RMSNorm, {mode}", [0], [int(agrees != judge.args.wrong)], [1])


def judge_elementwise(judge):
    """Activations, softmax and norms, as functions and as layers."""
    layers = Layers(judge)
    names = ("sigmoid", "tanh", "relu", "relu6", "leaky_relu", "silu", "gelu")
    classes = ("Sigmoid", "Tanh", "ReLU", "ReLU6", "LeakyReLU", "SiLU", "GELU")
    for number, specs in enumerate(specifications()):
        sees = bool(specs.get("bfloat") or specs.get("fp")) and specs["round"] != "floor"

        def same(what, call, shapes=((6, 20),), specs=specs, sees=sees):
            if specs["vec_use_recip"] and "orm" in what and "without" not in what:
                # Means divide by a number, and its reciprocal cannot be rounded.
                refused = [refuses(call, package, of.finalize_mx_specs(dict(specs)), shapes)
                           for package, of in ((theirs, their_specs), (ours, ours))]
                judge.same(f"{what} {number} is refused", [0], [int(refused[1] != judge.args.wrong)], [int(refused[0])])
                return
            layers.same(f"{what} {number}", call, shapes, specs, sees_wrong=sees)

        for name in names:
            same(name, lambda p, s, x: getattr(p, name)(x * 3, mx_specs=s))
        for name in classes:
            same(name, lambda p, s, x: getattr(p, name)(mx_specs=s)(x * 3))
        for name in ("relu", "relu6", "leaky_relu", "silu"):
            same(f"{name} in place", lambda p, s, x: getattr(p, name)(x * 3, inplace=True, mx_specs=s))
        same("gelu of first order", lambda p, s, x: p.gelu(x, mx_specs=s, first_order_gelu=True))
        same("GELU of first order", lambda p, s, x: p.GELU(mx_specs=s, first_order_gelu=True)(x))
        same("leaky_relu 0.3", lambda p, s, x: p.leaky_relu(x, 0.3, mx_specs=s))
        for exp2 in (False, True):
            given = {**specs, "softmax_exp2": exp2}
            for dim in (-1, 0, 1):
                same(f"softmax {dim} {exp2}", lambda p, s, x: p.softmax(x, dim, mx_specs=s), ((6, 20),), given)
                same(f"Softmax {dim} {exp2}", lambda p, s, x: p.Softmax(dim, mx_specs=s)(x), ((3, 6, 20),), given)
        for shape in ((6, 20), (3, 5, 20)):
            for bits in (1e-12, 1e-5):
                same(f"layer_norm {shape} {bits}", lambda p, s, x, w, b: p.layer_norm(x, w.shape, w, b, bits, mx_specs=s),
                     (shape, (20,), (20,)))
        for name in ("LayerNorm", "RMSNorm"):
            same(name, lambda p, s, x: getattr(p, name)(20, eps=1e-6, mx_specs=s)(x), ((3, 5, 20),))
        same("RMSNorm without", lambda p, s, x: p.RMSNorm(20)(x), ((5, 20),), sees=False)
        plain = (("gelu", {}), ("softmax", {"dim": 1}), ("silu", {}))
        for name, arguments in plain:
            same(f"{name} without", lambda p, s, x: getattr(p, name)(x, **arguments), sees=False)
    judge_rounded_gradients(judge)


def as_numbers(specs):
    """A specification as comparable words: those of its text."""
    if specs is None:
        return np.zeros(1, dtype=np.uint32)
    text = repr(sorted((key, value) for key, value in specs.items()))
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def judge_specs(judge):
    generator = np.random.Generator(np.random.Philox(judge.args.seed))
    values = {"elem_format": (None, "fp4", "int8"), "round": (None, "nearest", "even", "floor"),
              "bfloat": (0, 16, 12), "fp": (0, 16), "quantize": (True, False), "block": (0, 32), "scale": (0, 8)}
    for case in range(400):
        given = {}
        for key in their_specs.MxSpecs():
            choices = next((found for part, found in values.items() if part in key), ())
            if choices and generator.integers(0, 3) == 0:
                given[key] = choices[generator.integers(0, len(choices))]
        for make in (dict, None):
            with mxgold.mode("compat"):
                expected = their_specs.finalize_mx_specs((make or their_specs.MxSpecs)(given))
                changed = {**given, "round_m": "floor", "scale_bits": 3} if judge.args.wrong else given
                found = ours.finalize_mx_specs((make or ours.MxSpecs)(changed))
                if expected is not None and found is not None:
                    expected = their_specs.get_backwards_mx_specs(expected)
                    found = ours.get_backwards_mx_specs(found)
            a, b = as_numbers(found), as_numbers(expected)
            size = max(a.size, b.size)
            judge.same(f"specification {case}", np.arange(size), np.resize(a, size) if a.size != size else a,
                       np.resize(b, size) if b.size != size else b, expected is not None)
    for line in ([], ["--bfloat", "16"], ["--w_elem_format", "fp4", "--no_quantize_backprop", "--round", "even"],
                 ["--fp", "11", "--vec_use_recip", "--block_size", "16"], ["--skip_early_exit"]):
        expected = their_specs.get_mx_specs(their_specs.add_mx_args(argparse.ArgumentParser()).parse_args(line))
        found = ours.get_mx_specs(ours.add_mx_args(argparse.ArgumentParser()).parse_args(line))
        judge.same(f"command line {line}", np.arange(1), np.array([0]),
                   np.array([int((expected and expected.data) != (found and found.data))]), False)


SURFACES = {"products": judge_products, "simd": judge_simd, "convolutions": judge_convolutions, "elementwise": judge_elementwise, "specs": judge_specs}


def main():
    judge = Judge("microxcaling layers", f"microxcaling 1.1.0, torch {torch.__version__}", tuple(SURFACES))
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    for name, surface in SURFACES.items():
        if judge.wants(name):
            surface(judge)
    judge.finish()


if __name__ == "__main__":
    main()
