/** A program that is stopped, woken or killed by a signal: whose the terminal is then, and in which state. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHome, mainFile } from "../cli/program.ts";
import { RESTORED } from "./emulator.ts";
import { ctrl, keys } from "./key-bytes.ts";
import { rawSince } from "./recorded-bytes.ts";
import {
  connected,
  expectRestored,
  openTestTerminal,
  openReadyTerminal,
  until,
  type Finally,
} from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter } = keys;
const APP_MODES = { screen: "alternate", mouse: "any", isPasteBracketed: true, isWrapping: false, titlesKept: 1 };

/** Started by hand in a shell that can stop and wake it. */
async function sitInShell(after: Finally): Promise<{ seen: SeenTerminal; pid: number }> {
  const seen = openTestTerminal(after, { line: "exec bash --norc --noprofile -i", env: { PS1: "shell> " } });
  await seen.sees("shell>");
  seen.type(`${process.execPath} ${mainFile}${enter}`);
  await seen.sees(connected);
  seen.type("half a draft");
  await seen.sees("❯ half a draft");
  const pid = Number(readFileSync(`/proc/${seen.pid}/task/${seen.pid}/children`, "utf8").trim());
  return { seen, pid };
}

/** Says when it hears a signal of the keyboard, and goes on; a line ends it, and is added to the text. */
const EDITOR = `#!/bin/sh
trap 'echo heard it' INT QUIT
echo the editor has it
until read -r line; do :; done
printf '%s, %s\\n' "$(cat "$1")" "$line" > "$1"
`;
/** Hears what the whole terminal hears, and must not be the one who ends of it. */
const OUTER_SHELL = 'trap : INT QUIT; "$0" "$@"; echo "exit $?"';

/** In an editor, which `$EDITOR` begins in the given way. */
async function sitInEditor(after: Finally, begin: (file: string) => string) {
  const home = createHome();
  const file = path.join(home.directory, "editor.sh");
  writeFileSync(file, EDITOR);
  chmodSync(file, 0o755);
  const TMPDIR = path.join(home.directory, "tmp");
  mkdirSync(TMPDIR);
  const seen = await openReadyTerminal(after, { home, line: OUTER_SHELL, env: { EDITOR: begin(file), TMPDIR } });
  seen.type("my draft");
  await seen.sees("❯ my draft");
  seen.type(ctrl("g"));
  await seen.sees("the editor has it");
  return { seen, temporaryFiles: () => readdirSync(TMPDIR).filter((name) => name.startsWith("roundtable-")) };
}

/** The shell itself brackets pastes while it waits for a line. */
function expectGiven(seen: SeenTerminal): void {
  expect(seen.modes).toEqual({ ...RESTORED, isPasteBracketed: seen.modes.isPasteBracketed });
}

describe.concurrent("stopped", () => {
  test("SIGTSTP from outside gives the terminal to the shell; after it, and after SIGSTOP, fg redraws the screen", async ({
    onTestFinished: after,
  }) => {
    const { seen, pid } = await sitInShell(after);
    const before = await seen.rests();
    process.kill(pid, "SIGTSTP");
    await seen.sees("Stopped");
    expectGiven(seen);
    seen.type(`fg${enter}`);
    await seen.shows(() => seen.modes.screen === "alternate" && seen.screen().includes(" ❯ half a draft"));
    expect(await seen.rests()).toEqual(before);
    process.kill(pid, "SIGSTOP");
    await seen.sees("Stopped");
    seen.type(`fg${enter}`);
    await seen.losesSight("Stopped");
    expect(await seen.rests()).toEqual(before);
    expect(seen.modes).toMatchObject(APP_MODES);
  });

  test("Ctrl+Z where no shell could wake the program leaves the screen as usable as before", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    const from = seen.recording.length;
    seen.type(`half${ctrl("z")}`);
    await seen.shows(() => /\?1049l[^]*\?1049h[^]*half/.test(rawSince(seen, from)));
    seen.type(" a draft");
    await seen.sees("❯ half a draft");
    expect(seen.modes).toMatchObject(APP_MODES);
    seen.type(`${ctrl("c")}${ctrl("d")}`);
    await seen.sees("exit 0");
    expectRestored(seen);
  });

  test("a program that is killed while it is suspended leaves the terminal to the shell", async ({
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

  test("a signal that ends the process puts the terminal back first", async ({ onTestFinished: after }) => {
    for (const [signal, code] of [
      ["SIGQUIT", 131],
      ["SIGUSR2", 140],
    ] as const) {
      const seen = await openReadyTerminal(after);
      process.kill(seen.programPid, signal);
      await seen.sees(`exit ${code}`);
      expectRestored(seen);
    }
  });

  test("Ctrl+C and Ctrl+\\ in an editor are the editor's: the program goes on and takes the text; other signals end it", async ({
    onTestFinished: after,
  }) => {
    for (const begin of [(file: string) => file, (file: string) => `${file} "$1"; :`]) {
      const { seen, temporaryFiles } = await sitInEditor(after, begin);
      seen.type("\u0003");
      await seen.sees("heard it");
      seen.type("\u001c");
      await seen.sees(/heard it[^]*heard it/);
      seen.type(`edited${enter}`);
      await seen.sees("❯ my draft, edited");
      expect(temporaryFiles()).toEqual([]);
      process.kill(seen.programPid, "SIGINT");
      await seen.sees("exit 0");
    }
    const { seen } = await sitInEditor(after, (file) => file);
    process.kill(seen.programPid, "SIGTERM");
    await seen.sees("exit 0");
  });

  test("the signal that opens the debugger of the runtime changes nothing on the screen", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    const before = await seen.rests();
    const from = seen.recording.length;
    process.kill(seen.programPid, "SIGUSR1");
    expect(await seen.rests()).toEqual(before);
    seen.type("a draft");
    await seen.sees("❯ a draft");
    expect(rawSince(seen, from)).not.toContain("Debugger");
  });
});
