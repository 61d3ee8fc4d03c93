/** Removes what the tests of this run have left in their temporary directory, and the homes they have listed there. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    scratch: string;
  }
}

/** One path on each line. */
export const HOMES_FILE = "homes.txt";
const LAST = { recursive: true, force: true, maxRetries: 5, retryDelay: 200 } as const;

let scratch = "";

export function setup(project: TestProject): void {
  ({ scratch } = project.getProvidedContext());
}

export function teardown(): void {
  const listed = path.join(scratch, HOMES_FILE);
  const homes = existsSync(listed)
    ? readFileSync(listed, "utf8")
        .split("\n")
        .filter((home) => home !== "")
    : [];
  for (const left of [...homes, scratch]) rmSync(left, LAST);
}
