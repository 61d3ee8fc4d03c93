/** The discussion as it is seen: rounds, who is next, limits and minutes, in the real program with three members. */
import { describe, expect, test } from "vitest";
import { keys } from "./key-bytes.ts";
import { expectScreen, overlayRows } from "./screen-snapshot.ts";
import { openReadyTerminal, homeWithThree } from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter, escape } = keys;

const titleRow = (seen: SeenTerminal) => seen.screen()[0] ?? "";
const sessionOver = (seen: SeenTerminal) => seen.losesSight("Esc stops");

describe.concurrent("the council on the screen", () => {
  test("a discussion shows its round and who is next, a waiting panel for each who will speak, and how it ended; /round adds one, /minutes is a panel", async ({
    onTestFinished: after,
  }) => {
    const home = homeWithThree({ auto_rounds: 1, mode: "sequential" });
    const seen = await openReadyTerminal(after, { home, columns: 100, rows: 84 });
    seen.type(`@all /try delay 1s${enter}`);
    const waiting = /▎ ada .*starting[^]* ◌ bob is next\n ◌ cyd waits to answer\n/;
    await seen.shows(() => waiting.test(seen.text()) && / round 1(?: |$)/.test(titleRow(seen)));
    await seen.sees("The discussion ended after round 2");
    await sessionOver(seen);
    expect(titleRow(seen)).toContain(" 2 rounds ");
    expectScreen(await seen.rests(), "council-settled");
    seen.type(`/round${enter}`);
    await seen.sees("The discussion ended after round 3");
    await sessionOver(seen);
    seen.type(`/minutes${enter}`);
    await seen.sees("Minutes · assembled");
    expectScreen(await seen.rests(), "council-minutes");
  });

  test("a limit pauses the discussion with a card that names it; the rule of the box and /status say so, and /continue goes on", async ({
    onTestFinished: after,
  }) => {
    const home = homeWithThree({ auto_rounds: 2, limits: { turns: 4 } });
    const seen = await openReadyTerminal(after, { home, columns: 100, rows: 40 });
    seen.type(`where is parseWidget${enter}`);
    await seen.sees(/‖ Paused: 4 of 4 turns used for this message/);
    await seen.shows(() => seen.screen().some((row) => /^─ to everyone ─+ ‖ paused · \/continue goes on ─$/.test(row)));
    await sessionOver(seen);
    expectScreen(await seen.rests(), "council-paused");
    seen.type(`/status${enter}`);
    await seen.sees("4/4 turns (reached)");
    expectScreen(overlayRows(await seen.rests()), "council-status");
    seen.type(escape);
    await seen.losesSight("─ Status");
    seen.type(`/continue${enter}`);
    await seen.sees(/The discussion continues.*allowed now: 8 turns for this message/);
    await seen.sees("The discussion ended after round");
    // After the last word all that is new is in view, from the word that went on.
    expect((await seen.rests()).join("\n")).toMatch(/The discussion continues[^]*The discussion ended after round/);
    expect(seen.modes.screen).toBe("alternate");
  });
});
