/** A program that is stopped, woken or killed by a signal: whose the terminal is then, and in which state. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mainFile } from "../cli/program.ts";
import { RESTORED } from "./emulator.ts";
import { ctrl, keys } from "./key-bytes.ts";
import { rawSince } from "./recorded-bytes.ts";
import { expectRestored, sit, sitReady, until, type Finally } from "./seated.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter } = keys;
const TAKEN = { screen: "alternate", mouse: "any", isPasteBracketed: true, isWrapping: false, titlesKept: 1 };

/** Started by hand in a shell that can stop and wake it. */
async function sitInShell(after: Finally): Promise<{ seen: SeenTerminal; pid: number }> {
  const seen = sit(after, { line: "exec bash --norc --noprofile -i", env: { PS1: "shell> " } });
  await seen.sees("shell>");
  seen.type(`${process.execPath} ${mainFile}${enter}`);
  await seen.sees("hosted here");
  seen.type("half a draft");
  await seen.sees("› half a draft");
  const pid = Number(readFileSync(`/proc/${seen.pid}/task/${seen.pid}/children`, "utf8").trim());
  return { seen, pid };
}

/** The shell itself brackets pastes while it waits for a line. */
function expectGiven(seen: SeenTerminal): void {
  expect(seen.modes).toEqual({ ...RESTORED, isPasteBracketed: seen.modes.isPasteBracketed });
}

describe.concurrent("stopped", () => {
  test("[U480] a stop from outside gives the terminal to the shell; after it, and after one that cannot be heard, fg draws the screen anew", async ({
    onTestFinished: after,
  }) => {
    const { seen, pid } = await sitInShell(after);
    const before = await seen.rests();
    process.kill(pid, "SIGTSTP");
    await seen.sees("Stopped");
    expectGiven(seen);
    seen.type(`fg${enter}`);
    await seen.shows(() => seen.modes.screen === "alternate" && seen.screen().includes("› half a draft"));
    expect(await seen.rests()).toEqual(before);
    process.kill(pid, "SIGSTOP");
    await seen.sees("Stopped");
    seen.type(`fg${enter}`);
    await seen.losesSight("Stopped");
    expect(await seen.rests()).toEqual(before);
    expect(seen.modes).toMatchObject(TAKEN);
  });

  test("[U481] Ctrl+Z where no shell could wake the program leaves the screen as usable as before", async ({
    onTestFinished: after,
  }) => {
    const seen = await sitReady(after);
    const from = seen.recording.length;
    seen.type(`half${ctrl("z")}`);
    await seen.shows(() => /\?1049l[^]*\?1049h[^]*half/.test(rawSince(seen, from)));
    seen.type(" a draft");
    await seen.sees("› half a draft");
    expect(seen.modes).toMatchObject(TAKEN);
    seen.type(`${ctrl("c")}${ctrl("d")}`);
    await seen.sees("exit 0");
    expectRestored(seen);
  });

  test("[U482] a program that is killed while it is suspended leaves the terminal to the shell", async ({
    onTestFinished: after,
  }) => {
    const { seen, pid } = await sitInShell(after);
    seen.type(ctrl("z"));
    await seen.sees("Stopped");
    seen.type(`kill %1${enter}`);
    await until("it has ended", () => !existsSync(`/proc/${pid}`));
    seen.type(`echo it is $((40 + 2))${enter}`);
    await seen.sees("it is 42");
    expectGiven(seen);
  });

  test("[U483] a signal that ends the process puts the terminal back first", async ({ onTestFinished: after }) => {
    for (const [signal, code] of [
      ["SIGQUIT", 131],
      ["SIGUSR2", 140],
    ] as const) {
      const seen = await sitReady(after);
      process.kill(seen.programPid, signal);
      await seen.sees(`exit ${code}`);
      expectRestored(seen);
    }
  });

  test("[U524] the signal that opens the debugger of the runtime changes nothing on the screen", async ({
    onTestFinished: after,
  }) => {
    const seen = await sitReady(after);
    const before = await seen.rests();
    const from = seen.recording.length;
    process.kill(seen.programPid, "SIGUSR1");
    expect(await seen.rests()).toEqual(before);
    seen.type("a draft");
    await seen.sees("› a draft");
    expect(rawSince(seen, from)).not.toContain("Debugger");
  });
});
