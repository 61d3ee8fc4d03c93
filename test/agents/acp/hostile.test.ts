/** Prompts that would like to be something else reach an ACP program, and Cursor's fallback, as nothing but prompts. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { hostilePrompts } from "../hostile-prompts.ts";
import { startAcpFake, type AcpFakeOptions } from "./start-acp-fake.ts";

const subjects: { name: string; options: AcpFakeOptions; argv: readonly string[] }[] = [
  { name: "acp", options: { flags: ["--digest"] }, argv: ["--digest"] },
  { name: "cursor", options: { kind: "cursor", flags: ["--digest"] }, argv: ["--digest"] },
  { name: "opencode", options: { kind: "opencode", flags: ["--digest"] }, argv: ["--digest"] },
];

test("the corpus is as large as it has to be", () => {
  expect(hostilePrompts.length).toBeGreaterThanOrEqual(37);
});

test.each(subjects)("$name: prompts arrive byte for byte, arguments stay, nothing runs", async (subject) => {
  const probe = await startAcpFake(subject.options);
  const before = readdirSync(probe.dataDir);
  for (const [at, { name, text }] of hostilePrompts.entries()) {
    const from = probe.events.length;
    const end = await probe.run(text, `turn-${at}`);
    expect({ name, outcome: end.outcome }).toEqual({ name, outcome: "completed" });
    const said = await probe.next("text_delta", from);
    expect({ name, ...JSON.parse(said.text) }).toEqual({ name, ...expected(text), argv: subject.argv });
  }
  expect(probe.all("turn_done")).toHaveLength(hostilePrompts.length);
  expect(readdirSync(probe.dataDir).filter((name) => name !== "run")).toEqual(before.filter((name) => name !== "run"));
  expect(await probe.leave()).toEqual([]);
});

test("cursor, printing: prompts arrive byte for byte, arguments stay, nothing runs", async () => {
  const probe = await startAcpFake({ kind: "cursor", fake: "cursor-print.mjs", flags: ["-p", "--digest"] });
  const fixed = ["-p", "--digest", "--output-format", "stream-json", "--stream-partial-output"];
  for (const [at, { name, text }] of hostilePrompts.entries()) {
    const from = probe.events.length;
    await probe.run(text, `turn-${at}`);
    const said = await probe.next("text_delta", from);
    const argv = at === 0 ? fixed : [...fixed, "--resume", "cursor-session-1"];
    expect({ name, ...JSON.parse(said.text) }).toEqual({ name, ...expected(text), argv });
  }
  expect(readdirSync(probe.dataDir).filter((name) => name.includes("owned"))).toEqual([]);
  expect(await probe.leave()).toEqual([]);
});

/** Node writes what is no character (a lone surrogate) as U+FFFD, here and there. */
function expected(text: string): { digest: string; bytes: number } {
  return { digest: createHash("sha256").update(text).digest("hex"), bytes: Buffer.byteLength(text) };
}
