import { expect, test } from "vitest";
import { chooseCommands } from "./project-commands.ts";
import { firstParagraph, makeTargets, manifestFacts, packageFacts, readmeSections } from "./project-facts.ts";

const PACKAGE = `{
  "name": "thing",
  "test": "not a script",
  "scripts": {
    "build": "tsc",
    "test": "vitest run",
    "test:watch": "vitest",
    "check": "oxlint"
  }
}`;

test("package.json gives its scripts with their lines and how to run them", () => {
  const facts = packageFacts("package.json", PACKAGE, "npm");
  expect(facts?.commands.map((one) => [one.run, one.line])).toEqual([
    ["npm run build", 5],
    ["npm test", 6],
    ["npm run test:watch", 7],
    ["npm run check", 8],
  ]);
  expect(packageFacts("package.json", PACKAGE, "pnpm")?.commands[0]?.run).toBe("pnpm build");
  expect(packageFacts("package.json", "{ not json", "npm")).toBeUndefined();
  expect(packageFacts("package.json", "[]", "npm")).toBeUndefined();
});

test("the command named like the purpose comes first", () => {
  const commands = packageFacts("package.json", PACKAGE, "npm")?.commands ?? [];
  expect(chooseCommands(commands, "how do I run the tests").map((one) => one.name)).toEqual([
    "test",
    "test:watch",
    "check",
  ]);
  expect(chooseCommands(commands, "how do I build it").map((one) => one.name)).toEqual(["build"]);
  expect(chooseCommands(commands, "what scripts are there")).toHaveLength(4);
});

test("make and just targets, Cargo.toml, go.mod and pyproject.toml give their commands", () => {
  expect(makeTargets("Makefile", "CC := gcc\nall: build\n\t@echo hi\n.PHONY: all\ntest:\n\tpytest -q\n")).toEqual([
    { run: "make all", name: "all", does: "echo hi", path: "Makefile", line: 2 },
    { run: "make test", name: "test", does: "pytest -q", path: "Makefile", line: 5 },
  ]);
  expect(makeTargets("justfile", "lint path:\n  ruff {{path}}\n")[0]?.run).toBe("just lint");
  const cargo = manifestFacts(
    "Cargo.toml",
    '[package]\nname = "crab"\ndescription = "Walks."\n\n[dependencies]\nname = "no"\n',
  );
  expect([cargo?.name, cargo?.description, cargo?.commands[0]?.run]).toEqual(["crab", "Walks.", "cargo test"]);
  expect(manifestFacts("go.mod", "module example.org/x\n")?.name).toBe("example.org/x");
  const python = manifestFacts("pyproject.toml", '[project]\nname = "snake"\n[tool.pytest]\n');
  expect(python?.commands.map((one) => [one.run, one.name])).toEqual([
    ["pip install -e .", "install"],
    ["pytest", "test"],
  ]);
});

test("a README gives its headings outside code blocks and its first real paragraph", () => {
  const sections = readmeSections(
    "# Thing\n\n[![badge](x)](y)\n\nA thing that\ndoes it.\n\n```sh\n# not a heading\n```\n\n## Use\n\nRun it.\n",
  );
  expect(sections.map((one) => [one.title, one.line])).toEqual([
    ["Thing", 1],
    ["Use", 12],
  ]);
  expect(firstParagraph(sections)).toEqual({ text: "A thing that does it.", line: 5 });
});
