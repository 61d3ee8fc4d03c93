/** Whether a program and a server may sit at one table. */
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { readVersion } from "../version.ts";

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
