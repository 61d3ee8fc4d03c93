/** Removes what the tests of this run have left in their temporary directory. */
import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    scratch: string;
  }
}

let scratch = "";

export function setup(project: TestProject): void {
  ({ scratch } = project.getProvidedContext());
}

export function teardown(): void {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
