/** Version check between a screen and a server. */
import { exitCodes } from "../../kit/exit-codes.ts";
import { Failure } from "../../kit/failure.ts";
import { readVersion } from "../version.ts";

/** Versions may misread each other's data, so a screen only connects to a server of its own version. */
export function requireSameVersion(server: { url: string; version: string; pid?: number }): void {
  const mine = readVersion();
  if (server.version === mine) return;
  const order = compareVersions(server.version, mine);
  const relation = order < 0 ? "older than" : order > 0 ? "newer than" : "not the same as";
  const stop = server.pid === undefined ? "Stop the server" : `Stop it (kill ${server.pid})`;
  throw new Failure(
    exitCodes.failure,
    "version_mismatch",
    `the server at ${server.url} runs version ${server.version}, ${relation} this program (${mine})`,
    { hint: order > 0 ? "Update this program" : `${stop} and start roundtable again` },
  );
}

/** Compares the leading numbers only. */
function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => (/^[\d.]*/.exec(text)?.[0] ?? "").split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
