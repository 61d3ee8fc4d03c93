/** Every way out of the real program: the terminal is as it was, and nothing typed is lost. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, mainFile, type Home } from "../cli/program.ts";
import { ctrl, keys } from "./key-bytes.ts";
import { RESTORED } from "./emulator.ts";
import { connected, expectRestored, openTestTerminal, openReadyTerminal, until } from "./test-terminal.ts";

const { enter, escape, up } = keys;

/** Loaded before the program: a fault of somebody else's code, when the test asks for it. */
const FAULT = `
process.on("SIGURG", () => setImmediate(() => { throw new Error("a fault on purpose"); }));
process.on("SIGWINCH", () => {});
`;

function draftsOf(home: Home): string {
  const files = readdirSync(home.dataDir, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && file.parentPath.includes("draft") && !file.name.endsWith(".tmp"))
    .map((file) => readFileSync(path.join(file.parentPath, file.name), "utf8"))
    .join("\n");
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe.concurrent("leaving", () => {
  test("SIGTERM and SIGHUP while a member works put the terminal back and keep the draft", async ({
    onTestFinished: after,
  }) => {
    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      const home = createHome();
      const seen = await openReadyTerminal(after, { home });
      seen.type(`@scout /try hang${enter}`);
      await seen.sees("I hang now.");
      seen.type("not yet sent");
      await seen.sees("❯ not yet sent");
      process.kill(seen.programPid, signal);
      await seen.sees(/exit \d+/);
      expectRestored(seen);
      const again = openTestTerminal(after, { home });
      await again.sees("❯ not yet sent");
      again.type(`${ctrl("c")}${ctrl("d")}`);
      await again.sees("exit 0");
    }
  });

  test("[U51] a fault anywhere in the program puts the terminal back, is said in one line, and ends with 1", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const preload = path.join(home.directory, "fault.mjs");
    writeFileSync(preload, FAULT);
    const seen = await openReadyTerminal(after, { home, env: { NODE_OPTIONS: `--import=${preload}` } });
    seen.type("a draft at that moment");
    await seen.sees("❯ a draft at that moment");
    process.kill(seen.programPid, "SIGURG");
    await seen.sees("exit 1");
    expect(seen.text()).toMatch(/^roundtable: .*a fault on purpose/m);
    expectRestored(seen);
    const again = openTestTerminal(after, { home });
    await again.sees("❯ a draft at that moment");
  });

  test("the draft survives kill -9, and the program ends when its terminal is gone", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const killed = await openReadyTerminal(after, { home });
    killed.type("what I was about to say");
    await until("the draft is on disk", () => draftsOf(home).includes("what I was about to say"));
    process.kill(killed.programPid, "SIGKILL");
    await killed.sees("exit 137");
    const again = openTestTerminal(after, { home });
    await again.sees("❯ what I was about to say");
    const { programPid } = again;
    again.close();
    await again.ended;
    await until("the program has ended with its terminal", () => !isAlive(programPid));
  });

  test("Ctrl+Z gives the terminal to the shell, and fg brings the screen back as it was", async ({
    onTestFinished: after,
  }) => {
    const seen = openTestTerminal(after, { line: "exec bash --norc --noprofile -i", env: { PS1: "shell> " } });
    await seen.sees("shell>");
    seen.type(`${process.execPath} ${mainFile}${enter}`);
    await seen.sees(connected);
    seen.type(`@scout /try changes${enter}`);
    await seen.sees("Done: reports changed files");
    await seen.losesSight("Esc stops");
    seen.type("half a draft");
    await seen.sees("❯ half a draft");
    const before = await seen.rests();
    seen.type(ctrl("z"));
    await seen.sees("Stopped");
    expect(seen.modes).toEqual({ ...RESTORED, isPasteBracketed: seen.modes.isPasteBracketed });
    seen.type(`echo still $((40 + 2)) here${enter}`);
    await seen.sees("still 42 here");
    seen.type(`fg${enter}`);
    await seen.sees("❯ half a draft");
    expect(await seen.rests()).toEqual(before);
    expect(seen.modes).toMatchObject({ screen: "alternate", mouse: "any", isPasteBracketed: true });
    seen.type(`${ctrl("c")}${ctrl("d")}`);
    await seen.sees(/To continue ".*": roundtable --resume[^]*shell>/);
    expect(seen.modes).toEqual({ ...RESTORED, isPasteBracketed: seen.modes.isPasteBracketed });
  });

  test("/quit stop interrupts the members and leaves; /quit on a session hosted here waits for who works", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("I hang now.");
    seen.type(`/quit stop${enter}`);
    await seen.sees("exit 0");
    expectRestored(seen);
    const left = await openReadyTerminal(after);
    left.type(`@scout /try hang${enter}`);
    await left.sees("I hang now.");
    left.type(`/quit${enter}`);
    await left.sees("Leaving when scout is done. Esc or Ctrl+C stops it.");
    await left.sees("leaving when done · Esc stops it");
    left.type(escape);
    await left.sees("exit 0");
    expectRestored(left);
    const waited = await openReadyTerminal(after);
    waited.type(`@scout /try slow 40${enter}`);
    await waited.sees("Step 2 of 40");
    waited.type(`/quit${enter}`);
    await waited.sees("Leaving when scout is done.");
    await waited.sees("exit 0");
    expect(waited.text()).not.toContain("was stopped");
    expectRestored(waited);
  });

  test("what was written is there in later sessions: Up walks it, Ctrl+R finds it, Escape leaves the draft", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const first = await openReadyTerminal(after, { home });
    first.type(`@scout /try silence${enter}`);
    await first.sees("(said nothing)");
    first.type(`@scout /try changes${enter}`);
    await first.sees("Done: reports changed files");
    await first.losesSight("Esc stops");
    first.type(`/quit${enter}`);
    await first.sees("exit 0");
    const later = await openReadyTerminal(after, { home, args: ["chat", "--new"] });
    later.type(`my draft`);
    await later.sees("❯ my draft");
    later.type(`${up}${up}`);
    await later.sees("❯ @scout /try changes");
    later.type(up);
    await later.sees("❯ @scout /try silence");
    later.type(`${keys.down}${keys.down}${keys.down}`);
    await later.sees("❯ my draft");
    later.type(ctrl("r"));
    later.type("silen");
    await later.sees("@scout /try silence");
    later.type(escape);
    await later.sees("❯ my draft");
  });
});
