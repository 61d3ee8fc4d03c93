/** The terminal app in a pseudo-terminal, against the real program: how one works with it from beginning to end. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ANSWER_GRACE_MS } from "../../src/client/request-queue.ts";
import { until } from "../launch/lone-home.ts";
import { createHome, jsonLines } from "../cli/program.ts";
import { ctrl, keys } from "./key-bytes.ts";
import { connected, expectRestored, serve, openTestTerminal, openReadyTerminal } from "./test-terminal.ts";
import { expectScreen } from "./screen-snapshot.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter, escape } = keys;

/** How far `/try slow` has come; a step that is broken over two rows is not counted. */
const newestStep = (seen: SeenTerminal) =>
  Math.max(...[...seen.text().matchAll(/Step (\d+) of 400/g)].map(([, step]) => Number(step)));

const STEP_ROWS = 2;

/** How many rows of steps there are depends on when Escape was read; the empty part of the log makes up for them. */
function withoutSteps(rows: readonly string[]): string[] {
  const others = rows.filter((row) => !/\bStep\b|\bof 60\b|^│ 60/.test(row));
  const lastEmpty = others.findLastIndex((row) => row.trim() === "");
  const missing = rows.length - STEP_ROWS - others.length;
  return missing < 0
    ? others.toSpliced(lastEmpty, -missing)
    : others.toSpliced(lastEmpty, 0, ...Array.from({ length: missing }, () => ""));
}

describe.concurrent("the screen", () => {
  test("it sends, shows the answer as it comes, and quits with the terminal as it was", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const seen = await openReadyTerminal(after, { home });
    await seen.sees("scout");
    expectScreen(await seen.rests(), "empty-session");
    expect(seen.modes).toMatchObject({ screen: "alternate", isPasteBracketed: true, keyboardLevels: 1, titlesKept: 1 });
    seen.type(`@scout /try tools${enter}`);
    expect(await seen.sees("Four tools at once")).not.toContain("3 succeeded");
    await seen.sees(/Wait 2000 ms .* \d s/);
    await seen.sees("Esc stops");
    await seen.sees("3 succeeded, 1 failed.");
    await seen.sees("Enter send · Shift+Enter new line");
    expectScreen(await seen.rests(), "tools");
    expect(seen.title).toBe("/try tools · roundtable");
    seen.type(`/quit${enter}`);
    await seen.sees("exit 0");
    expect(seen.text()).toMatch(/To continue "\/try tools": roundtable --resume [0-9a-z]{6}\n/);
    expectRestored(seen);
    const { stdout } = await home.run(["sessions", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ title: "/try tools", cwd: home.project, status: "idle" }]);
  });

  test("Escape interrupts and keeps what was said; the draft survives the stream; Ctrl+D quits", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    seen.type(`@scout /try slow${enter}`);
    await seen.sees("Step 2 of 60");
    seen.type("my draft");
    await seen.sees("Step 4 of 60");
    await seen.sees("❯ my draft");
    seen.type(escape);
    await seen.sees("stopped by you");
    const text = await seen.sees("Enter send");
    expect(text).toContain("Step 4 of 60");
    expect(text).toContain("❯ my draft");
    expectScreen(withoutSteps(await seen.rests()), "interrupted");
    seen.type(ctrl("c"));
    await seen.sees("Draft cleared. ↑ brings it back.");
    await seen.losesSight("❯ my draft");
    seen.type(ctrl("d"));
    await seen.sees("exit 0");
    expectRestored(seen);
  });

  test("Ctrl+C puts the draft away, then interrupts, then quits when pressed again", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("I hang now.");
    seen.type("x");
    await seen.sees("❯ x");
    seen.type(ctrl("c"));
    await seen.losesSight("❯ x");
    expect(seen.text()).not.toContain("stopped by you");
    seen.type(ctrl("c"));
    await seen.sees("Stopped scout.");
    await seen.sees("Enter send");
    expect(seen.modes.screen).toBe("alternate");
    // Twice: on a slow machine the first one may come too late to be another one, and only says that the next one quits.
    seen.type(`${ctrl("c")}${ctrl("c")}`);
    await seen.sees("exit 0");
    expectRestored(seen);
  });

  test("Escape stops what this terminal asked before it was closed and opened again", async ({
    onTestFinished: after,
  }) => {
    const { home } = await serve(after);
    const first = openTestTerminal(after, { home });
    await first.sees(connected);
    first.type(`@scout /try slow 400${enter}`);
    await first.sees("Step 2 of 400");
    first.type(ctrl("d"));
    await first.sees("Detached. scout keeps working. To come back: roundtable -c");
    await first.sees("exit 0");
    const again = openTestTerminal(after, { home, args: ["-c"] });
    await again.sees("Esc stops");
    again.type(escape);
    await again.sees("Stopped scout.");
  });

  test("with a server running it attaches: both terminals show the same, and leaving does not stop the members", async ({
    onTestFinished: after,
  }) => {
    const served = await serve(after);
    const { home } = served;
    const one = openTestTerminal(after, { home });
    await one.sees(connected);
    one.type(`@scout /try slow 400${enter}`);
    await one.sees("Step 2 of 400");
    const two = openTestTerminal(after, { home, args: ["attach", served.url] });
    await two.sees(/Step \d+ of 400/);
    await two.sees("Esc Esc stops it");
    two.type(escape);
    await two.sees("Started from another screen.");
    one.type(`/quit${enter}`);
    await one.sees("Detached. scout keeps working. To come back: roundtable -c");
    await one.sees("exit 0");
    const before = newestStep(two);
    await two.shows(() => newestStep(two) > before);
    two.type(escape);
    await two.sees("Stopped scout.");
    two.type(`/quit${enter}`);
    await two.sees("exit 0");
    expectRestored(two);
  });

  test("attach sends the token of this data directory to no other address, and none to another machine", async ({
    onTestFinished: after,
  }) => {
    const served = await serve(after);
    const { home } = served;
    const other = openTestTerminal(after, {
      home,
      args: ["attach", "http://127.0.0.1:1"],
      env: { ROUNDTABLE_TOKEN: "" },
    });
    const far = openTestTerminal(after, {
      home,
      args: ["attach", "http://198.51.100.7:80"],
      env: { ROUNDTABLE_TOKEN: served.token },
    });
    const wrong = openTestTerminal(after, { home, args: ["attach", served.url], env: { ROUNDTABLE_TOKEN: "wrong" } });
    await other.sees("no server answers at http://127.0.0.1:1");
    await far.sees('"198.51.100.7" is not on this machine');
    await wrong.sees("rejected the token");
  });

  test("what is pasted never acts on the terminal, and is one message with its lines", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const seen = await openReadyTerminal(after, { home, rows: 40 });
    seen.paste("first line\nsecond \u001b]0;title\u0007line\u202e");
    await seen.sees("❯ first line");
    await seen.sees("second ⟨U+001B⟩]0;title⟨U+0007⟩line⟨U+202E⟩");
    expect(seen.text()).not.toMatch(/❯ first line .*to everyone/);
    seen.type(enter);
    await seen.sees(/❯ first line .*to everyone[^]*second line⟨U\+202E⟩/);
    expect(seen.title).not.toContain("\u001b");
    seen.type(`/quit${enter}`);
    await seen.sees("exit 0");
    const { stdout } = await home.run(["sessions", "list", "--json"]);
    const [{ sessionId }] = JSON.parse(stdout) as [{ sessionId: string }];
    const events = jsonLines(readFileSync(join(home.dataDir, "logs", `${sessionId}.jsonl`), "utf8"));
    expect(events.find((event) => event["type"] === "user_message")?.["text"]).toBe(
      "first line\nsecond \u001b]0;title\u0007line\u202e",
    );
  });

  test("it goes on with the last session of the directory, shows it as it was, and --new begins another", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const first = await openReadyTerminal(after, { home });
    first.type(`@scout /try thinking${enter}`);
    await first.sees("I have thought twice.");
    await first.sees("Enter send");
    const before = await first.rests();
    first.type(`/quit${enter}`);
    await first.sees("exit 0");
    const again = openTestTerminal(after, { home, args: ["chat"] });
    await again.sees("I have thought twice.");
    expect(await again.rests()).toEqual(before);
    again.type(ctrl("d"));
    await again.sees("exit 0");
    const fresh = await openReadyTerminal(after, { home, args: ["chat", "--new"] });
    expect((await fresh.rests()).join("\n")).not.toContain("thought twice");
    fresh.type(ctrl("d"));
    await fresh.sees("exit 0");
  });

  test("a resize at any time leaves no scraps, and the cursor stays in the box", async ({ onTestFinished: after }) => {
    const seen = await openReadyTerminal(after);
    seen.type(`@scout /try slow 400${enter}`);
    await seen.sees("Step 3 of 400");
    seen.resize(40, 12);
    // In so few rows a step is soon out of sight.
    await seen.sees(/Step (?:[6-9]|\d\d)\b/);
    seen.type(`${"a long draft ".repeat(30)}end`);
    await seen.sees(/\bend\b/);
    expect(seen.screen()[seen.cursor.row]).toMatch(/\bend\b/);
    seen.resize(100, 30);
    await seen.sees(/Step (?:9|\d\d) of 400/);
    seen.type(escape);
    const text = await seen.sees("Stopped scout.");
    await seen.rests();
    expect(seen.screen()[seen.cursor.row]).toMatch(/\bend\b/);
    expect(text.match(/Step 1 of 400/g)?.length).toBe(1);
    expect(seen.text().match(/Esc stops/g)).toBe(null);
    expect(text.match(/^ ❯/gm)?.length).toBe(1);
  });

  test("an unfocused window is notified once when members finish or ask, a focused one never", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { env: { TERM_PROGRAM: "WezTerm" } });
    const told = () => seen.strings.filter((one) => one.startsWith("OSC 9;"));
    seen.type("\u001b[I");
    seen.type(`@scout /try silence${enter}`);
    await seen.sees("(said nothing)");
    await seen.losesSight("Esc stops");
    expect(told()).toEqual([]);
    seen.type("\u001b[O");
    seen.type(`@scout /try select${enter}`);
    await seen.sees("scout asks");
    await until("it is told", () => told().length > 0);
    expect(told()).toEqual(["OSC 9;scout asks: Which colour?"]);
    await new Promise((resolve) => setTimeout(resolve, ANSWER_GRACE_MS + 100));
    seen.type(escape);
    await seen.losesSight("scout asks");
    await seen.losesSight("Esc stops");
    await until("it is told again", () => told().length > 1);
    expect(told().slice(1)).toEqual(["OSC 9;/try silence: everyone is done"]);
  });

  test("five megabytes pasted are one block in the box, and the next keys are echoed at once", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    seen.paste(`${"x".repeat(99)}\n`.repeat(50_000));
    await seen.sees("❯ [pasted 50,001 lines]");
    seen.type(" and more");
    await seen.sees("❯ [pasted 50,001 lines] and more");
    seen.type(keys.backspace.repeat(" and more".length + 1));
    await seen.losesSight("pasted");
  });
});
