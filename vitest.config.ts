import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

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
};

/** Pure tests share a worker; tests that start programs or own files get a process to themselves. */
export default defineConfig({
  test: {
    // The default leaves one of two cores idle; most of these tests wait for processes of their own.
    maxWorkers: 2,
    globalSetup: "test/leave-nothing.ts",
    provide: { scratch },
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts"],
          exclude: ["src/**/*.torture.test.ts"],
          isolate: false,
          testTimeout: 60_000,
          env,
        },
      },
      { test: { name: "map", include: ["test/architecture.test.ts"], isolate: false } },
      {
        test: {
          name: "program",
          include: ["test/**/*.test.ts"],
          exclude: ["test/architecture.test.ts"],
          pool: "forks",
          testTimeout: 120_000,
          hookTimeout: 120_000,
          env,
        },
      },
      {
        test: {
          name: "torture",
          include: process.env["TORTURE"] ? ["{src,test}/**/*.torture.ts"] : [],
          pool: "forks",
          testTimeout: 3_600_000,
        },
      },
    ],
  },
});
