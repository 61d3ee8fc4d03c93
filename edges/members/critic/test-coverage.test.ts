import { expect, test } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { createTextReader } from "../../../src/agents/index.ts";
import { checkCoverage, isTestable } from "./test-coverage.ts";

const FILES = {
  "src/inner.ts": "x\n",
  "src/outer.ts": 'import { x } from "./inner.ts";\n',
  "src/lonely-user.ts": 'import { x } from "./lonely.ts";\n',
  "src/lock.test.ts": "takeLock();\n",
  "tests/test_bridge.py": "x\n",
  "test/outer.test.ts": "x\n",
  "test/all.test.ts": 'import { a } from "../src/ferry.ts";\nimport b from "../src/ferry-man";\n',
};

async function untested(subjects: Parameters<typeof checkCoverage>[0], clock = createHandClock()) {
  const root = await scratchTree(FILES);
  const signal = new AbortController().signal;
  return checkCoverage(subjects, { paths: Object.keys(FILES), reader: createTextReader(root), clock, signal });
}

test("a source is tested by a test beside it or one that names it or its users; a name by a test that contains it as a word", async () => {
  const subject = (path: string, ...names: string[]) => ({ path, names: names.map((name) => ({ name, line: 3 })) });
  expect(
    await untested([
      subject("src/lock.ts", "takeLock", "takeLoc"),
      subject("lib/bridge.py"),
      subject("src/ferry.ts"),
      subject("src/ferry-man.ts"),
      subject("src/river.ts", "takeLock"),
      subject("src/inner.ts"),
      subject("src/lonely.ts"),
    ]),
  ).toEqual({
    untested: [
      { path: "src/lock.ts", names: [{ name: "takeLoc", line: 3 }], isWholeFile: false },
      { path: "src/river.ts", names: [], isWholeFile: true },
      { path: "src/lonely.ts", names: [], isWholeFile: true },
    ],
    tests: 4,
    isWhole: true,
  });
});

test("when the time is up before every test was read, nothing is called missing", async () => {
  const clock = createHandClock();
  let calls = 0;
  const hasty = { ...clock, monotonic: () => (calls++ === 0 ? 0 : 60_000) };
  expect(await untested([{ path: "src/river.ts", names: [] }], hasty)).toEqual({
    untested: [],
    tests: 4,
    isWhole: false,
  });
});

test("tests, entry points, settings, type lists and generated files need no test", () => {
  const paths = [
    "src/a.ts",
    "src/index.ts",
    "src/a.test.ts",
    "vite.config.ts",
    "src/types.ts",
    "dist/a.js",
    "a.d.ts",
    "README.md",
  ];
  expect(paths.filter(isTestable)).toEqual(["src/a.ts"]);
});
