# SPDX-License-Identifier: Apache-2.0
"""The public names of the Python package, read from its sources: nothing is imported, so nothing has to be there."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class Name:
    """A function, a class with its members, or a value."""

    name: str
    kind: str  #: "function", "class", "property", "method", "attribute", "value" or "module"
    signature: str
    text: str  #: its docstring, or the comment `#:` in front of it
    module: str  #: where it is defined: "mxgold._tensors"
    members: list[Name] = field(default_factory=list)


class Package:
    """A package's modules, by their dotted names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._trees: dict[str, tuple[ast.Module, list[str]] | None] = {}

    def module(self, name: str) -> tuple[ast.Module, list[str]] | None:
        """The tree and the lines of a module."""
        if name not in self._trees:
            base = self._folder.joinpath(*name.split("."))
            path = next((each for each in (base.with_suffix(".py"), base / "__init__.py") if each.is_file()), None)
            text = path.read_text(encoding="utf-8") if path else ""
            self._trees[name] = (ast.parse(text), text.split("\n")) if path else None
        return self._trees[name]

    def docstring(self, name: str) -> str:
        found = self.module(name)
        return (ast.get_docstring(found[0]) or "") if found else ""

    def is_package(self, name: str) -> bool:
        return (self._folder.joinpath(*name.split(".")) / "__init__.py").is_file()

    def public_names(self, module: str) -> list[str]:
        """__all__, or without it what the module itself defines and no underscore hides."""
        found = self.module(module)
        if found is None:
            raise ValueError(f"there is no module {module}")
        for node in found[0].body:
            if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == "__all__"
                                                    for each in node.targets):
                return list(ast.literal_eval(node.value))
        return [node.name for node in found[0].body
                if isinstance(node, (*_FUNCTION, ast.ClassDef)) and not node.name.startswith("_")]

    def find(self, module: str, name: str, depth: int = 0) -> Name | None:
        """A public name, wherever the module has it from."""
        found = self.module(module)
        if found is None or depth > 8:
            return None
        tree, lines = found
        for node in _statements(tree.body):
            if isinstance(node, _FUNCTION) and node.name == name and not _is_overload(node):
                return _function(node, module, "function")
            if isinstance(node, ast.ClassDef) and node.name == name:
                return self._class(node, module, lines)
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return self._imported(module, node, alias.name, name, depth)
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and name in _targets(node):
                return self._assigned(node, module, name, lines, depth)
        if self.module(f"{module}.{name}") is not None:
            return Name(name, "module", "", self.docstring(f"{module}.{name}"), f"{module}.{name}")
        return None

    def find_below(self, package: str, name: str) -> Name | None:
        """A public name that a package imports when it is asked for: wherever below it that is defined."""
        found = self.find(package, name)
        folder = self._folder.joinpath(*package.split("."))
        for path in sorted(folder.rglob("*.py")) if found is None else ():
            module = ".".join(path.relative_to(self._folder).with_suffix("").parts)
            tree = self.module(module)
            nodes = tree[0].body if tree else []
            if any(isinstance(node, (*_FUNCTION, ast.ClassDef)) and node.name == name for node in nodes):
                return self.find(module, name)
        return found

    def _imported(self, module: str, node: ast.ImportFrom, original: str, name: str, depth: int) -> Name | None:
        package = module if self.is_package(module) else module.rpartition(".")[0]
        for _ in range(node.level - 1):
            package = package.rpartition(".")[0]
        source = node.module or ""
        if node.level:
            source = f"{package}.{source}" if source else package
        if not node.module and self.module(f"{source}.{original}") is not None:
            return Name(name, "module", "", self.docstring(f"{source}.{original}"), f"{source}.{original}")
        found = self.find(source, original, depth + 1)
        if found is not None:
            found.name = name
        return found

    def _assigned(self, node: ast.Assign | ast.AnnAssign, module: str, name: str, lines: list[str],
                  depth: int) -> Name | None:
        comment = _comment_above(node, lines)
        if isinstance(node.value, ast.Name):  # another name of something
            found = self.find(module, node.value.id, depth + 1)
            if found is not None:
                found.text = comment or f"Another name of {found.name}."
                found.name = name
                return found
        annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
        return Name(name, "value", f"{name}: {annotation}" if annotation else name, comment, module)

    def _class(self, node: ast.ClassDef, module: str, lines: list[str]) -> Name:
        made = next((each for each in node.body if isinstance(each, _FUNCTION) and each.name == "__init__"), None)
        text = f"{ast.get_docstring(node) or ''} {ast.get_docstring(made) or '' if made else ''}"
        if made and all(re.search(rf"\b{each}\b", text) for each in _required(made)):
            arguments = _arguments(made)
        else:  # others are made by functions of the package
            arguments = _field_arguments(node)
        members = [_member(each, module) for each in node.body
                   if isinstance(each, _FUNCTION) and not each.name.startswith("_") and not _is_overload(each)]
        attributes = [_attribute(each, module, lines) for each in [*node.body, *(made.body if made else [])]
                      if isinstance(each, ast.AnnAssign)]
        members += [each for each in attributes if each is not None]
        bases = [ast.unparse(base) for base in node.bases]
        for base in bases:
            parent = self.find(module, base, 7)
            known = {each.name for each in members}
            members += [each for each in (parent.members if parent else []) if each.name not in known]
        is_error = any(base.endswith(("Error", "Exception")) for base in bases)
        inside = arguments or (", ".join(bases) if is_error else "")
        signature = f"class {node.name}" + (f"({inside})" if inside else "")
        return Name(node.name, "class", signature, ast.get_docstring(node) or "", module,
                    [each for each in members if not each.name.startswith("_")])


def _statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of a module, with those under its conditions."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.If):
            is_types = "TYPE_CHECKING" in ast.unparse(node.test)
            found += [] if is_types else _statements(node.body) + _statements(node.orelse)
        elif isinstance(node, ast.Try):
            found += _statements(node.body)
        else:
            found.append(node)
    return found


def _is_overload(node: Function) -> bool:
    """Is it one signature of several, with the function itself below?"""
    return any(ast.unparse(each).endswith("overload") for each in node.decorator_list)


def _targets(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [each.id for each in targets if isinstance(each, ast.Name)]


def _comment_above(node: ast.stmt, lines: list[str]) -> str:
    """The comment `#:` in front of a statement."""
    found: list[str] = []
    at = node.lineno - 2
    while at >= 0 and (match := re.match(r"\s*#: ?(.*)", lines[at])):
        found.insert(0, match[1])
        at -= 1
    return "\n".join(found)


def _arguments(node: Function, is_method: bool = True) -> str:
    arguments = node.args
    if is_method and arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments = ast.arguments(posonlyargs=arguments.posonlyargs, args=arguments.args[1:], vararg=arguments.vararg,
                                  kwonlyargs=arguments.kwonlyargs, kw_defaults=arguments.kw_defaults,
                                  kwarg=arguments.kwarg, defaults=arguments.defaults)
    return ast.unparse(arguments)


def _required(node: Function) -> list[str]:
    """Arguments without a default, but for self."""
    places = node.args.args[1:len(node.args.args) - len(node.args.defaults)]
    named = [each for each, default in zip(node.args.kwonlyargs, node.args.kw_defaults) if default is None]
    return [each.arg for each in [*places, *named]]


def _field_arguments(node: ast.ClassDef) -> str:
    """What a tuple or a dataclass of named fields is made of."""
    has_fields = any("NamedTuple" in ast.unparse(each) for each in node.bases) or any(
        "dataclass" in ast.unparse(each) for each in node.decorator_list)
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign)] if has_fields else []
    return ", ".join(f"{ast.unparse(each.target)}: {ast.unparse(each.annotation)}"
                     + (f" = {ast.unparse(each.value)}" if each.value else "") for each in fields)


def _function(node: Function, module: str, kind: str) -> Name:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    is_method = kind == "method"
    return Name(node.name, kind, f"{node.name}({_arguments(node, is_method)}){returns}", ast.get_docstring(node) or "",
                module)


def _member(node: Function, module: str) -> Name:
    decorators = [ast.unparse(each) for each in node.decorator_list]
    if any(each.endswith(("property", "cached_property")) for each in decorators):
        returns = f": {ast.unparse(node.returns)}" if node.returns else ""
        return Name(node.name, "property", node.name + returns, ast.get_docstring(node) or "", module)
    return _function(node, module, "method")


def _attribute(node: ast.AnnAssign, module: str, lines: list[str]) -> Name | None:
    target = node.target
    is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    name = target.attr if isinstance(target, ast.Attribute) and is_own else ast.unparse(target)
    comment = _comment_above(node, lines)
    if not comment and is_own:
        return None
    return Name(name, "attribute", f"{name}: {ast.unparse(node.annotation)}", comment, module)
