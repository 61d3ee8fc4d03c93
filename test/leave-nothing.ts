/** Removes what the tests of this run have left in their temporary directory. */
import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    scratch: string;
  }
}

export default function leaveNothing(project: TestProject): () => void {
  const scratch = project.getProvidedContext().scratch;
  return () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
