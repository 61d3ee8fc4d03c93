import { expect, test } from "vitest";
import { createLogRecords } from "./log-records.ts";

const FIRST = ["a".repeat(40), "aaaaaaa", "", "Ada Ø", "2024-01-02", "1704196800", "Begin", "Because.\n"];
const SECOND = ["b".repeat(40), "bbbbbbb", "p q", "", "2024-01-03", "x", "", ""];
const BYTES = Buffer.from([...FIRST, ...SECOND].map((field) => `${field}\0`).join(""));

const COMMITS = [
  {
    hash: "a".repeat(40),
    short: "aaaaaaa",
    parents: 0,
    author: "Ada Ø",
    date: "2024-01-02",
    time: 1704196800,
    subject: "Begin",
    body: "Because.",
  },
  {
    hash: "b".repeat(40),
    short: "bbbbbbb",
    parents: 2,
    author: "someone without a name",
    date: "2024-01-03",
    time: 0,
    subject: "(no subject)",
    body: "",
  },
];

test("commits are the same however the bytes are split", () => {
  for (let at = 0; at <= BYTES.length; at++) {
    const records = createLogRecords();
    records.push(BYTES.subarray(0, at));
    records.push(BYTES.subarray(at));
    expect(records.commits).toEqual(COMMITS);
  }
});

test("an incomplete commit is ignored, and a long message is truncated", () => {
  const records = createLogRecords();
  records.push(BYTES.subarray(0, BYTES.length - 1));
  expect(records.commits).toEqual(COMMITS.slice(0, 1));
  const long = createLogRecords();
  long.push(Buffer.from(`${[...FIRST.slice(0, 7), "x".repeat(100_000)].join("\0")}\0`));
  expect(long.commits[0]?.body.length).toBe(8_192);
});
