import { tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";

/** Pure tests share a worker; tests that start programs or own files get a process to themselves. */
export default defineConfig({
  test: {
    // The default leaves one of two cores idle; most of these tests wait for processes of their own.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts"],
          exclude: ["src/**/*.torture.test.ts"],
          isolate: false,
          testTimeout: 60_000,
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
          // What tests start, they start many times: compiled once, it starts faster.
          env: { NODE_COMPILE_CACHE: path.join(tmpdir(), "roundtable-tests-compiled") },
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
