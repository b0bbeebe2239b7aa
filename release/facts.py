"""Prints facts for a release from the workspace's metadata: `python3 release/facts.py version|crates|owner|features`,
`python3 release/facts.py notices|bom tool|page`.

features  those with which the tool is built
notices   the crates in the tool or in the page, with their license files
bom       a bill of materials in CycloneDX 1.5
"""

import json
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The compiled programs: the crate, manifest, features and target of each.
PROGRAMS = {
    "tool": ("b2nd-cli", "Cargo.toml", "full", "x86_64-unknown-linux-musl"),
    "page": ("b2nd-web", "web/wasm/Cargo.toml", "values", "wasm32-unknown-unknown"),
}
LICENCES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "UNLICENSE*", "license*")


def cargo(*command):
    return subprocess.run(["cargo", *command], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def metadata(*options):
    return json.loads(cargo("metadata", "--format-version=1", "--locked", *options))


def published(meta):
    """The crates of the workspace that may be published, in an order in which each follows its dependencies."""
    ours = {it["name"]: it for it in meta["packages"] if it["source"] is None and it["publish"] != []}
    order = []

    def visit(name):
        if name in order:
            return
        for dependency in ours[name]["dependencies"]:
            if dependency["name"] in ours and dependency["kind"] is None:
                visit(dependency["name"])
        order.append(name)

    for name in sorted(ours):
        visit(name)
    return [ours[name] for name in order]


def linked(what):
    """The packages in a program and the dependencies of each, without build tools and tests."""
    name, manifest, features, target = PROGRAMS[what]
    meta = metadata(f"--manifest-path={manifest}", f"--features={name}/{features}", f"--filter-platform={target}")
    # The metadata is that of the whole workspace, whose other members enable features that this one does not need.
    tree = ["tree", "--locked", f"--manifest-path={manifest}", f"--package={name}", f"--features={features}", f"--target={target}"]
    lines = cargo(*tree, "--edges=normal", "--prefix=none", "--format={p}").splitlines()
    inside = {tuple(line.split()[:2]) for line in lines if line}
    nodes = {node["id"]: node for node in meta["resolve"]["nodes"]}
    packages = {it["id"]: it for it in meta["packages"] if (it["name"], "v" + it["version"]) in inside}
    todo = [next(it["id"] for it in packages.values() if it["name"] == name)]
    edges = {}
    while todo:
        at = todo.pop()
        if at in edges:
            continue
        wanted = [it["pkg"] for it in nodes[at]["deps"] if any(kind["kind"] is None for kind in it["dep_kinds"])]
        # Procedural macros run in the compiler and are not part of the program.
        edges[at] = [it for it in wanted if it in packages and not any("proc-macro" in t["kind"] for t in packages[it]["targets"])]
        todo += edges[at]
    return {it: (packages[it], edges[it]) for it in sorted(edges, key=lambda it: packages[it]["name"])}


def checksums(what):
    lock = tomllib.loads((ROOT / PROGRAMS[what][1]).with_name("Cargo.lock").read_text())
    return {(it["name"], it["version"]): it.get("checksum") for it in lock["package"]}


def license_files(package):
    directory = pathlib.Path(package["manifest_path"]).parent
    return sorted({path for name in LICENCES for path in directory.glob(name) if path.is_file()})


def notices(what):
    print(f"The {what} b2nd contains these crates. Each is followed by the license files that it brings; a text that several bring is included once.")
    seen = {}
    for package, _ in linked(what).values():
        if package["source"] is None:
            continue
        print("\n" + "=" * 100)
        print(f"{package['name']} {package['version']}: {package['license'] or 'see below'}")
        if package["authors"]:
            print("by " + ", ".join(package["authors"]))
        if package["repository"]:
            print(package["repository"])
        for path in license_files(package):
            text = path.read_text(errors="replace").strip()
            first = seen.setdefault(" ".join(text.split()), f"{path.name} of {package['name']} {package['version']}")
            mine = f"{path.name} of {package['name']} {package['version']}"
            print(f"\n--- {path.name}\n\n{text}" if first == mine else f"\n--- {path.name}: as {first}")


def purl(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, sums):
    made = {"type": "library", "bom-ref": purl(package), "name": package["name"], "version": package["version"], "purl": purl(package)}
    if package["license"]:
        made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["description"]:
        made["description"] = " ".join(package["description"].split())
    if package["repository"]:
        made["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    found = sums.get((package["name"], package["version"]))
    if found:
        made["hashes"] = [{"alg": "SHA-256", "content": found}]
    return made


def bom(what):
    sums, packages = checksums(what), linked(what)
    program = next(package for package, _ in packages.values() if package["name"] == PROGRAMS[what][0])
    parts = [component(package, sums) for package, _ in packages.values() if package is not program]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(program, sums), "type": "application"}},
        "components": parts,
        "dependencies": [
            {"ref": purl(package), "dependsOn": sorted(purl(packages[it][0]) for it in needs)} for package, needs in packages.values()
        ],
    }
    json.dump(document, sys.stdout, indent=1, ensure_ascii=False)
    print()


def library():
    return next(it for it in metadata("--no-deps")["packages"] if it["name"] == "b2nd")


def owner():
    for field in ("repository", "homepage"):
        if not library()[field]:
            print(f"{field} is empty: fill it in [workspace.package] of Cargo.toml before anything is published")


def main(fact, what=None):
    if fact == "version":
        print(library()["version"])
    elif fact == "crates":
        print("\n".join(it["name"] for it in published(metadata("--no-deps"))))
    elif fact == "features":
        print(PROGRAMS["tool"][2])
    elif fact == "owner":
        owner()
    else:
        {"notices": notices, "bom": bom}[fact](what)


main(*sys.argv[1:])
