"""The float quantizer of aimet-torch, imported without the rest of the package and what that depends on."""

import ast
import importlib.abc
import importlib.machinery
import os
import sys
import types

# Packages around the quantizer whose own initialisation imports far more than it needs.
_EMPTY = ("aimet_torch", "aimet_torch.common", "aimet_torch.quantization", "aimet_torch.experimental",
          "aimet_torch.experimental.onnx")
# Third parties that are imported and not used by it.
_ABSENT = ("bokeh", "onnx", "onnx_ir", "onnxscript", "torchvision", "tqdm", "pandas", "hvplot", "holoviews", "sklearn",
           "scipy", "datasets", "transformers", "matplotlib", "psutil", "jsonschema", "packaging", "spconv")


class _Anything(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})

    def __or__(cls, other):
        return cls

    def __ror__(cls, other):
        return cls


class _Stub(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})


class _Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers for third parties that are not installed: the last finder that is asked."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in _ABSENT else None

    def create_module(self, spec):
        return _Stub(spec.name)

    def exec_module(self, module):
        pass


def _module(name, **attributes):
    module = types.ModuleType(name)
    module.__dict__.update(attributes)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
    return module


def _only_function(path, name, **names):
    """One function of a source file that imports more than the function needs."""
    tree = ast.parse(open(path, encoding="utf-8").read(), path)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    exec(compile(tree, path, "exec"), names)
    return names[name]


def has_onnx():
    """Is the onnx that was imported onnx itself?"""
    return not isinstance(sys.modules.get("onnx"), _Stub)


def load():
    """(aimet_torch.quantization.float, aimet_torch.fp_quantization, the encoding analyzers) of the package under
    MX_AIMET, or ImportError."""
    import functools

    import numpy

    root = os.environ.get("MX_AIMET") or os.environ.get("MX_AIMET_DEFAULT", "")
    if not os.path.isdir(os.path.join(root, "aimet_torch")):
        raise ImportError(f"no aimet_torch under '{root}'; name its folder in MX_AIMET")
    sys.meta_path.append(_Stubs())
    sys.path.insert(0, root)
    for name in _EMPTY:
        _module(name, __path__=[os.path.join(root, *name.split("."))])
    steps = _only_function(os.path.join(root, "aimet_torch", "common", "quantsim.py"), "_get_minimum_scale",
                           functools=functools, np=numpy)
    _module("aimet_torch.common.quantsim", _get_minimum_scale=steps)
    _module("aimet_torch.experimental.onnx._export", register_symbolic=lambda *_: (lambda function: function),
            float_quantize_dequantize_symbolic=None)
    import importlib

    return tuple(importlib.import_module(f"aimet_torch.{name}") for name in
                 ("quantization.float", "fp_quantization", "quantization.encoding_analyzer"))
