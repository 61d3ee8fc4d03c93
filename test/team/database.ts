/** Databases of a test file on the PostgreSQL of this run. */
import { inject } from "vitest";
import { administer } from "./postgres-cluster.ts";

export const hasPostgres = inject("postgres") !== undefined;

let databases = 0;

/** URL of a new database. */
export async function createDatabase(): Promise<string> {
  const name = `file_${process.pid}_${(databases += 1)}`;
  const url = inject("postgres") ?? "";
  await administer(url, `create database ${name}`);
  return url.replace(/[^/]*$/, name);
}
