import { expect, test } from "vitest";
import { withDescendants } from "../terminate/process-tree.ts";
import { parseStat } from "./procfs.ts";
import { chooseProcessList, createPsList, parseMarkers, parsePsRows, parseCimRows } from "./choose-process-list.ts";

test("a /proc stat line is parsed after the command, which may contain anything", () => {
  const rest = Array.from({ length: 15 }, (_, at) => at).join(" ");
  expect(parseStat(7, `7 (a) b) R 5) S 1 2 3 ${rest} 4242 0 0`)).toEqual({
    pid: 7,
    ppid: 1,
    pgid: 2,
    sid: 3,
    start: 4242,
  });
  expect(parseStat(7, `7 (dead) Z 1 2 3 ${rest} 4242 0 0`)).toBeUndefined();
});

test("the rows of ps are read, without ended processes", () => {
  const output = [
    "    1     0     1 Ss   Sun Nov 15 02:37:54 2026",
    "   42     1    40 Z+   Sun Nov 15 02:37:54 2026",
    "broken",
    "",
  ].join("\n");
  expect(parsePsRows(output)).toEqual([
    { pid: 1, ppid: 0, pgid: 1, sid: 0, start: Date.UTC(2026, 10, 15, 2, 37, 54) / 1000 },
  ]);
});

test("a marker counts in the environment that ps shows, not in the arguments", () => {
  const plain = "  10 grep ROUNDTABLE_RUN=x\n  11 node agent.mjs\n  12 changed\n";
  const full =
    "  10 grep ROUNDTABLE_RUN=x HOME=/\n  11 node agent.mjs A=1 ROUNDTABLE_RUN=m B=2\n  12 other ROUNDTABLE_RUN=m\n";
  expect([...parseMarkers(plain, full)]).toEqual([[11, "m"]]);
});

test("the rows of Windows are read", () => {
  expect(parseCimRows("4 0 1700000000\r\n\r\nnoise\r\n12 4 1700000001\r\n")).toEqual([
    { pid: 4, ppid: 0, pgid: 0, sid: 0, start: 1_700_000_000 },
    { pid: 12, ppid: 4, pgid: 0, sid: 0, start: 1_700_000_001 },
  ]);
});

test("both process lists of this system contain this process and its parent, and agree", async () => {
  const own = (rows: readonly { pid: number; ppid: number; pgid: number }[]) => {
    const row = rows.find((one) => one.pid === process.pid);
    return { pid: row?.pid, ppid: row?.ppid };
  };
  const expected = { pid: process.pid, ppid: process.ppid };
  expect(own(await chooseProcessList().rows())).toEqual(expected);
  expect(own(await createPsList().rows())).toEqual(expected);
});

test("descendants are followed, except to a process older than its parent", () => {
  const row = (pid: number, ppid: number, start: number) => ({ pid, ppid, pgid: 0, sid: 0, start });
  const rows = [row(1, 0, 0), row(10, 1, 5), row(11, 10, 6), row(12, 11, 7), row(13, 11, 2), row(20, 1, 9)];
  const order = { isNotBefore: (start: number, other: number) => start >= other };
  const seeds = rows.filter((one) => one.pid === 10);
  expect(withDescendants(seeds, rows, order).map((one) => one.pid)).toEqual([10, 11, 12]);
});
