import { expect, test } from "vitest";
import { documentAboutCode, entryLine, entryPoint, mostImported } from "./entry-points.ts";

test("the document about the code is chosen by name, top-level first", () => {
  expect(documentAboutCode(["a/b/ARCHITECTURE.md", "docs/architecture.md", "CONTRIBUTING.md"])).toBe(
    "docs/architecture.md",
  );
  expect(documentAboutCode(["CONTRIBUTING.md", "docs/index.md", "src/design.ts"])).toBe("docs/index.md");
  expect(documentAboutCode(["src/a.ts"])).toBeUndefined();
});

test.each([
  [["src/main.rs", "src/lib.rs"], [], "src/main.rs"],
  [["bin/tool.js", "src/cli/main.ts", "test/main.ts"], ["bin/tool.js"], "src/cli/main.ts"],
  [["source/index.ts", "source/core/index.ts"], ["./distribution/index.js"], "source/index.ts"],
  [["cmd/tool/main.go", "tool.go"], [], "cmd/tool/main.go"],
  [["pkg/__main__.py", "setup.py"], [], "pkg/__main__.py"],
  [["test/main.ts", "notes.md"], [], undefined],
])("of %j the program begins in the file people would name", (paths, declared, entry) => {
  expect(entryPoint(paths, declared)).toBe(entry);
});

test("the entry point is shown at its main function, else at its first definition", () => {
  expect(entryLine("a.ts", "const x = 1;\n\nexport async function main() {}\n")).toBe(3);
  expect(entryLine("a.ts", "// nothing\nclass App {}\n")).toBe(2);
  expect(entryLine("a.ts", "run();\n")).toBeUndefined();
});

test.each([
  ["src/a.ts", { "src/b.ts": 'import "./a.ts";', "src/c/d.ts": 'export { x } from "../a.js";', "src/a.ts": "" }],
  ["lib/core.py", { "lib/core.py": "", "lib/x.py": "from .core import y\n", "main.py": "import lib.core\n" }],
  ["src/net/mod.rs", { "src/net/mod.rs": "", "src/a.rs": "use crate::net::Conn;", "src/b.rs": "use crate::net;" }],
])("%s is what most of the code relies on", (path, files) => {
  expect(mostImported(new Map(Object.entries(files)))).toEqual({ path, importers: 2 });
});

test("a file with a single importer is not a starting point", () => {
  expect(
    mostImported(
      new Map([
        ["a.js", 'require("./b")'],
        ["b.js", ""],
      ]),
    ),
  ).toBeUndefined();
});
