import { mkdtempSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { measurePatience, PATIENCE } from "./test/patience.ts";
import { FailedFiles } from "./test/report-failed-files.ts";

// Before anything else runs, and handed to all that does.
process.env[PATIENCE] ??= String(measurePatience());
const patience = Number(process.env[PATIENCE]);

/** What tests leave behind goes with it. A short name: paths of sockets are made of it. */
const scratch = mkdtempSync(path.join(tmpdir(), "rt-"));
const env = {
  TMPDIR: scratch,
  TEMP: scratch,
  TMP: scratch,
  /** What is worth keeping for the next run. */
  ROUNDTABLE_TEST_KEPT: tmpdir(),
  // What tests start, they start many times: compiled once, it starts faster.
  NODE_COMPILE_CACHE: path.join(tmpdir(), "roundtable-tests-compiled"),
  [PATIENCE]: String(patience),
};
/** On a quiet machine; see `test/patience.ts`. */
const limits = {
  testTimeout: 120_000 * patience,
  hookTimeout: 120_000 * patience,
  teardownTimeout: 30_000 * patience,
  expect: { poll: { timeout: 5_000 * patience } },
};

/** A larger young generation from the start: short-lived workers then collect it less often. */
const execArgv = ["--min-semi-space-size=16"];

/** These drive real processes, disks, screens and browsers. */
const program = { pool: "forks", execArgv, ...limits, env } as const;

/** Tests of what a process as a whole does: its memory, its files' modes, its environment, the processes it started. */
const alone = ["test/{agents/process,crash,launch,log}/**/*.test.ts", "edges/*/test/alone/**/*.test.ts"];

/** Random tests that go many more rounds in torture, besides what is there for torture only. */
const repeated = [
  "src/agents/approvals/shell/read-line.test.ts",
  "src/agents/tools/list-files.test.ts",
  "edges/members/scout/scout.test.ts",
  "src/session/delivery/large-text.test.ts",
  "src/transcript/law.test.ts",
  "test/attacks/*.test.ts",
  "src/tui/{input/random-keys,log/row-heights,markdown/growing-rows,overlays/requests/request-overlay,panels/hostile-text,reader/announcer}.test.ts",
  "test/host/{search-killed,two-processes}.test.ts",
  "test/log/{damage,faults}.test.ts",
  "test/tui/hostile-screen.test.ts",
  "test/web/{all-views,attacks,lasting,live-and-reload}.test.ts",
  "edges/*/test/{generated,alone/kill}.test.ts",
  "edges/interchange/{html/html-export,markdown/markdown-export}.test.ts",
];

/** These take longest; where they do not begin first, the last of them ends alone. */
const LONG =
  /\b(?:random|walk|law|hostile-text|ask|commands|council|agents|chaos|approvals|attacks|requests|lasting|serve|stalled-clients|guard-corpus|tmux|mcp|one-process|background|kill-nine|panel|settings|in-the-window|items|views|live-and-reload|whole-page|safe-hands|pack|plants|historian|claude|browser-guard|replay|phone|page|unresponsive|ending|cuts)\.test\.ts$/;
const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const cores = Math.max(2, availableParallelism());
/** These compute, and do not wait for anybody. They come after those that do. */
const pure = { isolate: false, execArgv, maxWorkers: cores, sequence: { groupOrder: 1 } } as const;

/**
 * Pure tests share a worker, and so do those that drive programs from outside: what they need is loaded once. Tests that
 * look at their own process get one to themselves.
 */
export default defineConfig({
  test: {
    // More than cores: most of these tests wait for processes of their own.
    maxWorkers: cores + 4,
    sequence: { sequencer: LongFirst },
    reporters: ["default", new FailedFiles()],
    globalSetup: "test/remove-scratch.ts",
    provide: { scratch },
    projects: [
      {
        test: {
          name: "unit",
          include: ["{src,edges}/**/*.test.ts"],
          exclude: ["src/**/*.torture.test.ts", "edges/*/test/**"],
          ...pure,
          ...limits,
          env,
        },
      },
      { test: { name: "map", include: ["test/{architecture,vocabulary}.test.ts"], ...pure, ...limits } },
      { test: { ...program, name: "alone", include: alone } },
      {
        test: {
          ...program,
          name: "program",
          globalSetup: "test/install-browser.ts",
          include: ["test/**/*.test.ts", "edges/*/test/**/*.test.ts"],
          exclude: ["test/{architecture,vocabulary}.test.ts", "test/team/**", ...alone],
          isolate: false,
        },
      },
      {
        test: {
          ...program,
          name: "team",
          globalSetup: ["test/install-browser.ts", "test/team/start-postgres.ts"],
          include: ["test/team/*.test.ts"],
          isolate: false,
        },
      },
      {
        test: {
          name: "torture",
          include: process.env["TORTURE"] ? ["{src,edges,test}/**/*.torture.ts", ...repeated] : [],
          ...program,
          testTimeout: 3_600_000 * patience,
        },
      },
    ],
  },
});
