/** Who becomes the server when several want to. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimServer, findServer } from "../../src/server/index.ts";
import { openServer } from "./open-server.ts";

test("of many that claim a data directory at once exactly one becomes its server, over a stale record too", async () => {
  const open = await openServer();
  const dataDir = mkdtempSync(join(tmpdir(), "rt-record-"));
  const record = { url: open.server.url, pid: process.pid, version: "1" };
  for (const stale of [undefined, "half a rec", JSON.stringify({ ...record, url: "http://127.0.0.1:1" })]) {
    if (stale !== undefined) writeFileSync(join(dataDir, "server.json"), stale);
    expect(await findServer(dataDir)).toBe(undefined);
    const tokens = Array.from({ length: 8 }, (_, at) => `token-${at}`);
    const claims = await Promise.all(tokens.map((token) => claimServer(dataDir, record, token)));
    const winners = claims.flatMap((claim, at) => ("release" in claim ? [{ claim, token: tokens[at] }] : []));
    expect(winners.length).toBe(1);
    expect(claims.filter((claim) => "holder" in claim)).toEqual(Array.from({ length: 7 }, () => ({ holder: record })));
    expect(await findServer(dataDir)).toEqual({ ...record, token: winners[0]?.token });
    expect(readdirSync(dataDir).sort()).toEqual(["server.json", "token"]);
    winners[0]?.claim.release();
    expect(readdirSync(dataDir)).toEqual([]);
  }
  await open.close();
});

test("a server that was replaced does not remove the record of its successor", async () => {
  const open = await openServer();
  const dataDir = mkdtempSync(join(tmpdir(), "rt-record-"));
  const record = { url: open.server.url, pid: process.pid, version: "1" };
  const claim = await claimServer(dataDir, record, "old");
  const successor = JSON.stringify({ ...record, version: "2" });
  writeFileSync(join(dataDir, "server.json"), successor);
  if ("release" in claim) claim.release();
  expect(readFileSync(join(dataDir, "server.json"), "utf8")).toBe(successor);
  expect(readdirSync(dataDir).sort()).toEqual(["server.json", "token"]);
  await open.close();
});
