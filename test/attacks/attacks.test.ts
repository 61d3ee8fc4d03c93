/**
 * Commands that write or start something, in a read-only session: with the sandbox none has an effect. A dozen here, all
 * of them in torture, where each is also run without a wall, to see that it has an effect to stop.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hasBwrap } from "../agents/sandbox/inside.ts";
import { patient } from "../patience.ts";
import { rounds } from "../rounds.ts";
import { attackGround, hasEffectOutside } from "./attack-ground.ts";
import { closed, closedOnTheMachine } from "./closed.ts";
import { attacks } from "./commands.ts";
import { furtherClosed } from "./further.ts";
import { changes, leftRunning, scriptOf } from "./ground-files.ts";

const STEP = rounds(Math.ceil(attacks.length / 14), 1);
const tried = attacks.filter((_attack, at) => at % STEP === 0);

describe.skipIf(!hasBwrap)("with the sandbox", () => {
  test(`[B1] ${tried.length} of ${attacks.length} commands have no effect in a read-only session`, async () => {
    const ground = attackGround();
    await ground.run("true");
    const before = ground.picture();
    const lines = tried.map(({ line }) => line);
    const ran = await ground.run(scriptOf(lines, { cwd: ground.workspace, outside: ground.outside }), {
      program: "/bin/bash",
    });
    expect(ran).toMatchObject({ kind: "ran", code: 0, out: `tried ${lines.length}` });
    expect(changes(before, ground.picture())).toEqual([]);
    // The kernel ends them with the sandbox; on a busy machine that takes a moment.
    await expect.poll(() => leftRunning(ground.root), { timeout: patient(3_000) }).toEqual([]);
  });
});

test("the docs say how many there are", () => {
  const docs = readFileSync(path.join(import.meta.dirname, "..", "..", "docs", "agents.md"), "utf8");
  const inWritable = [...closed, ...furtherClosed, ...closedOnTheMachine].length;
  expect(docs).toContain(`${attacks.length} shell lines from`);
  expect(docs).toContain(`${inWritable} of them target what stays closed`);
});

test("the same commands do have an effect where there is no wall", () => {
  const outside = tried.filter(({ isTriedOutside }) => isTriedOutside).map(({ line }) => line);
  const harmless = outside.filter((line) => !hasEffectOutside(line));
  process.stdout.write(
    `${outside.length - harmless.length} of ${outside.length} commands have an effect without a wall\n`,
  );
  if (STEP === 1) process.stdout.write(harmless.map((line) => `  none here: ${line}\n`).join(""));
  expect(outside.length - harmless.length).toBeGreaterThanOrEqual(rounds(6, 150));
});
