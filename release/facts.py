"""What the workspace's metadata say for a release: `python3 release/facts.py version|crates|owner|notices|bom`.

notices  the crates in the tool, with the licence files that they bring
bom      a bill of materials of the tool, in CycloneDX 1.5
"""

import json
import pathlib
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "b2nd-cli"
LICENCES = ("LICENSE*", "LICENCE*", "COPYING*", "NOTICE*", "UNLICENSE*", "license*")


def metadata(*options):
    command = ["cargo", "metadata", "--format-version=1", "--locked", *options]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def published(meta):
    """The workspace's crates that may be published, each after those that it needs."""
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


def linked(meta):
    """The packages that are in the program: no tools of the build, no tests."""
    nodes = {node["id"]: node for node in meta["resolve"]["nodes"]}
    packages = {it["id"]: it for it in meta["packages"]}
    todo = [next(it["id"] for it in meta["packages"] if it["name"] == PROGRAM)]
    edges = {}
    while todo:
        at = todo.pop()
        if at in edges:
            continue
        wanted = [it["pkg"] for it in nodes[at]["deps"] if any(kind["kind"] is None for kind in it["dep_kinds"])]
        # What is compiled into the compiler is not in the program.
        edges[at] = [it for it in wanted if not any("proc-macro" in t["kind"] for t in packages[it]["targets"])]
        todo += edges[at]
    return {it: (packages[it], edges[it]) for it in sorted(edges, key=lambda it: packages[it]["name"])}


def checksums():
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    return {(it["name"], it["version"]): it.get("checksum") for it in lock["package"]}


def licence_files(package):
    directory = pathlib.Path(package["manifest_path"]).parent
    return sorted({path for name in LICENCES for path in directory.glob(name) if path.is_file()})


def notices(meta):
    print("The program b2nd contains these crates. Each is followed by the licence files that it brings; a text that several bring stands once.")
    seen = {}
    for package, _ in linked(meta).values():
        if package["source"] is None:
            continue
        print("\n" + "=" * 100)
        print(f"{package['name']} {package['version']}: {package['license'] or 'see below'}")
        if package["authors"]:
            print("by " + ", ".join(package["authors"]))
        if package["repository"]:
            print(package["repository"])
        for path in licence_files(package):
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


def bom(meta):
    sums, packages = checksums(), linked(meta)
    program = next(package for package, _ in packages.values() if package["name"] == PROGRAM)
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


def owner(meta):
    package = next(it for it in meta["packages"] if it["name"] == "b2nd")
    for field in ("repository", "homepage"):
        if not package[field]:
            print(f"{field} is empty: fill it in [workspace.package] of Cargo.toml before anything is published")


def main(what):
    if what == "version":
        print(next(it for it in metadata("--no-deps")["packages"] if it["name"] == "b2nd")["version"])
    elif what == "crates":
        print("\n".join(it["name"] for it in published(metadata("--no-deps"))))
    elif what == "owner":
        owner(metadata("--no-deps"))
    else:
        {"notices": notices, "bom": bom}[what](metadata("--filter-platform=x86_64-unknown-linux-musl"))


main(*sys.argv[1:])
