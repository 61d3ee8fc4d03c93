/** A client of a server that runs in another process; the counterpart of a table in this one. */
import { connectWebSocket, createClient } from "../client/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import type { Table } from "./table.ts";
import { readVersion } from "./version.ts";

/** Throws a Failure when the server is of another version. */
export async function attachTable({ url, token }: { url: string; token: string }): Promise<Table> {
  const client = await createClient(() => connectWebSocket(url, token));
  try {
    requireSameVersion({ url, version: client.host.version });
  } catch (error) {
    client.close();
    throw error;
  }
  return {
    client,
    async close() {
      client.close();
    },
  };
}

/** What one version wrote another may misread, so a screen joins only a server of its own. */
export function requireSameVersion(server: { url: string; version: string; pid?: number }): void {
  const mine = readVersion();
  if (server.version === mine) return;
  const order = compareVersions(server.version, mine);
  const relation = order < 0 ? "older than" : order > 0 ? "newer than" : "not the same as";
  const stop = server.pid === undefined ? "Stop the server" : `Stop it (kill ${server.pid})`;
  throw new Failure(
    exitCodes.failure,
    "version_mismatch",
    `the server at ${server.url} is version ${server.version}, ${relation} this program, which is ${mine}`,
    { hint: order > 0 ? "Update this program" : `${stop} and start roundtable again` },
  );
}

/** By the numbers in front; what follows them does not order versions for us. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (/^[\d.]*/.exec(text)?.[0] ?? "").split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
