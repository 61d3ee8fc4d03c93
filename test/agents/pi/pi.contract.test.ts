import { existsSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentContract } from "../agent.contract.ts";
import { makeDataDir, markedProcesses, removeDataDir } from "../process/start-fake.ts";
import { createFakePi, startPi } from "./start-pi.ts";

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));

agentContract("pi", {
  create: () => Promise.resolve(createFakePi({ dataDir })),
  createUnable: () => Promise.resolve(createFakePi({ dataDir, command: [path.join(dataDir, "nothing-here")] })),
  says: { short: "hello", endless: "endless", endlessTool: "tool", request: "ask", steerable: "endless" },
});

test("the extension lies in a directory of its owner alone, and goes with the member", async () => {
  const probe = await startPi({ dataDir });
  await probe.run("hello");
  const argv = probe.got().findLast((got) => got.argv !== undefined)?.argv ?? [];
  const file = argv[argv.indexOf("--extension") + 1] ?? "";
  const folder = path.dirname(file);
  expect([statSync(file).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(path.dirname(folder)).toBe(tmpdir());
  await probe.leave();
  expect(existsSync(folder)).toBe(false);
});

test("a temporary directory that takes no file makes turns that end errored", async () => {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = path.join(dataDir, "not-there");
  try {
    const probe = await startPi({ dataDir });
    const end = await probe.run("hello");
    expect([end.outcome, end.error?.code]).toEqual(["errored", "not_started"]);
    await probe.leave();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});

test("[A50] after every contract test nothing that it started runs", () => {
  expect(markedProcesses(dataDir)).toEqual([]);
  expect(readdirSync(path.join(dataDir, "run"))).toEqual([]);
});
