/** Two processes write messages into three threads at once; checks the numbering. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packedTestProgram } from "../../../../test/packed-program.ts";
import { expect } from "vitest";

const PROGRAM = await packedTestProgram("number-writer");
const SENDERS = ["claude", "codex"];

export async function expectNumbersAtOnce(count: number): Promise<void> {
  const dirs = [1, 2, 3].map(() => mkdtempSync(path.join(tmpdir(), "rt-numbers-")));
  const writers = SENDERS.map((sender) =>
    spawn(process.execPath, [PROGRAM, sender, String(count), ...dirs], { stdio: ["ignore", "ignore", "inherit"] }),
  );
  const codes = await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0] as number));
  expect(codes).toEqual([0, 0]);
  for (const dir of dirs) {
    const files = readdirSync(dir).sort();
    expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(Array.from({ length: 2 * count }, (_, i) => i + 1));
    for (const sender of SENDERS) {
      const own = files.filter((file) => file.endsWith(`-${sender}.md`));
      const bodies = own.map((file) => readFileSync(path.join(dir, file), "utf8").split("\n\n")[1]);
      expect(bodies).toEqual(Array.from({ length: count }, (_, i) => `${sender} ${i + 1}\n`));
    }
  }
}
