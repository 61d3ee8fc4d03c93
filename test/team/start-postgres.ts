/** Before the tests of the team server: one PostgreSQL for all of them, and one database for each file. */
import type { TestProject } from "vitest/node";
import { startCluster } from "./postgres-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL for administration; absent where there is no PostgreSQL. */
    postgres: string | undefined;
  }
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const cluster = await startCluster();
  project.provide("postgres", cluster?.url());
  if (cluster === undefined) {
    process.stdout.write("The tests of the team server are skipped: there is no PostgreSQL 15 or newer.\n");
    return undefined;
  }
  return () => cluster.stop();
}
