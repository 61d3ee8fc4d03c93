/** Says how patient the run is, and hands the files that failed to `tooling/test.ts`, which tries them again. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from "vitest/node";
import { FACTOR_MIN, PATIENCE } from "./patience.ts";

/** Names the file that takes them, one path on each line. */
export const FAILED_FILES = "ROUNDTABLE_TEST_FAILED";

export class FailedFiles implements Reporter {
  onInit(): void {
    const factor = Number(process.env[PATIENCE]);
    if (factor > FACTOR_MIN)
      process.stdout.write(`\nThis machine is busy or slow: time limits are ${factor} times longer.\n`);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[], reason: TestRunEndReason): void {
    const target = process.env[FAILED_FILES];
    const culprits = errors.map((error) => error["VITEST_TEST_PATH"] as string | undefined);
    // What nobody can be named for, nobody can make good.
    if (target === undefined || reason === "interrupted" || culprits.includes(undefined)) return;
    const failed = modules.filter((module) => !["passed", "skipped"].includes(module.state()));
    const files = new Set([...failed.map(({ moduleId }) => moduleId), ...culprits].map((file) => relative(file ?? "")));
    writeFileSync(target, [...files].join("\n"));
  }
}

function relative(file: string): string {
  return path.relative(process.cwd(), file);
}
