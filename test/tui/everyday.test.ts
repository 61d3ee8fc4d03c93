/** What people do all day, in the real program: mark and copy, few colours, the queue, settings that stay, a way out that always works. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createHome } from "../cli/program.ts";
import { keys } from "./key-bytes.ts";
import { connected, serve, openTestTerminal, openReadyTerminal, homeWithThree, until } from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter, escape, tab, down, right } = keys;

function drag(seen: SeenTerminal, from: { column: number; row: number }, to: { column: number; row: number }): void {
  const at = ({ column, row }: typeof from) => `${column + 1};${row + 1}`;
  seen.type(`\u001b[<0;${at(from)}M\u001b[<32;${at(to)}M\u001b[<0;${at(to)}m`);
}

const copied = (seen: SeenTerminal) =>
  seen.strings
    .filter((one) => one.startsWith("OSC 52;c;"))
    .map((one) => Buffer.from(one.slice("OSC 52;c;".length), "base64").toString());

const written = (seen: SeenTerminal) =>
  seen.recording.map(({ what }) => (typeof what === "string" ? what : "")).join("");

/** The numbers of every sequence that sets how letters look. */
function looks(seen: SeenTerminal): string[] {
  // oxlint-disable-next-line no-control-regex -- it is the controls that are looked for.
  return [...written(seen).matchAll(/\u001b\[([\d;:]*)m/g)].map(([, numbers = ""]) => numbers);
}

const ATTRIBUTE = "(?:0?|[1-9]|2[1-9])";
const BASIC = "(?:3[0-79]|4[0-79]|9[0-7]|10[0-7])";
const PALETTE = String.raw`(?:[34]8;5;\d{1,3})`;
const listOf = (...kinds: string[]) => new RegExp(`^(?:${kinds.join("|")})(?:;(?:${kinds.join("|")}))*$`);

describe.concurrent("every day", () => {
  test("what is marked by dragging is copied exactly as it stands", async ({ onTestFinished: after }) => {
    const seen = await openReadyTerminal(after);
    seen.type(`@scout /try changes${enter}`);
    await seen.sees("Done: reports changed files");
    await seen.losesSight("Esc stops");
    const rows = await seen.rests();
    const row = rows.findIndex((one) => one.includes("Done: reports changed files"));
    const column = rows[row]?.indexOf("reports") ?? -1;
    drag(seen, { column, row }, { column: column + "reports changed".length - 1, row });
    await until("the words are copied", () => copied(seen).length > 0);
    expect(copied(seen)).toEqual(["reports changed"]);
  });

  test("sixteen colours, 256 colours and no colours are all a terminal is ever sent when that is what it has", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    await home.run(["-p", "@scout /try changes"]);
    const kinds = [
      { env: { TERM: "xterm", COLORTERM: "" }, allowed: listOf(ATTRIBUTE, BASIC), needs: /^(?:.*;)?(?:3|9)[0-7]/ },
      { env: { TERM: "xterm-256color", COLORTERM: "" }, allowed: listOf(ATTRIBUTE, BASIC, PALETTE), needs: /38;5;/ },
      { env: { NO_COLOR: "1" }, allowed: listOf(ATTRIBUTE), needs: /^1$/ },
    ];
    for (const { env, allowed, needs } of kinds) {
      const seen = openTestTerminal(after, { home, env });
      await seen.sees("Done: reports changed files");
      await seen.rests();
      const all = looks(seen);
      expect(
        all.filter((one) => one !== "" && !allowed.test(one)),
        JSON.stringify(env),
      ).toEqual([]);
      expect(
        all.some((one) => needs.test(one)),
        JSON.stringify(env),
      ).toBe(true);
    }
  });

  test("Escape leaves without waiting when /quit stop waits for members that do not stop", async ({
    onTestFinished: after,
  }) => {
    const serving = await serve(after);
    const seen = openTestTerminal(after, {
      home: serving.home,
      args: ["attach", serving.url, "--new"],
      env: { ROUNDTABLE_TOKEN: serving.token },
    });
    await seen.sees(connected);
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("I hang now.");
    after(() => void serving.child.kill("SIGCONT"));
    serving.child.kill("SIGSTOP");
    seen.type(`/quit stop${enter}`);
    await seen.sees("Esc leaves without waiting");
    seen.type(escape);
    await seen.sees("exit 0");
  });

  test("a message in the queue can be rewritten, and sent at once", async ({ onTestFinished: after }) => {
    const seen = await openReadyTerminal(after, { rows: 34 });
    seen.type(`@scout /try slow 400${enter}`);
    await seen.sees("Step 2 of 400");
    for (const text of ["one", "two"]) {
      seen.type(`${text}${tab}`);
      await seen.sees(`queued for scout: ${text}`);
    }
    seen.type(`/queue${enter}`);
    await seen.sees("❯ 1. one");
    seen.type(enter);
    await seen.sees("Enter keep");
    seen.type(` and a half${enter}`);
    await seen.sees("❯ 1. one and a half");
    seen.type(down);
    await seen.sees("❯ 2. two");
    seen.type("s");
    await seen.sees("❯ ↳ two");
    seen.type(escape);
    await seen.losesSight("─ Queue");
    await seen.sees("queued for scout: one and a half");
    await seen.losesSight("2. queued");
    seen.type(escape);
    await seen.sees("Stopped scout.");
  });

  test("a queued message that is taken back into the box keeps whom it was for", async ({ onTestFinished: after }) => {
    const seen = await openReadyTerminal(after, { home: homeWithThree() });
    seen.type(`@ada @bob /try hang${enter}`);
    await seen.sees(/I hang now[^]*I hang now/);
    seen.type(`@bob @ada for later${tab}`);
    await seen.sees("queued for bob, ada: for later");
    seen.type(keys.altUp);
    await seen.sees("❯ @bob @ada for later");
    seen.type(escape);
    await seen.sees(/Stopped (ada and bob|bob and ada)\./);
  });

  test("mouse and notifications are switched off in /settings, at once and for the next start", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const env = { TERM_PROGRAM: "WezTerm" };
    const seen = await openReadyTerminal(after, { home, env, rows: 30 });
    expect(seen.modes.mouse).toBe("any");
    seen.type(`/settings${enter}`);
    await seen.sees("❯ Theme");
    for (const label of ["Thinking", "Tool output", "Times", "Raw Markdown", "Mouse"]) {
      seen.type(down);
      await seen.sees(`❯ ${label}`);
    }
    seen.type(right);
    await seen.sees(/❯ Mouse .*‹off›/);
    await until("the mouse is let go", () => seen.modes.mouse === "none");
    for (const label of ["Copy", "Notify me"]) {
      seen.type(down);
      await seen.sees(`❯ ${label}`);
    }
    seen.type(right);
    await seen.sees(/❯ Notify me .*‹off›/);
    seen.type(escape);
    await seen.losesSight("─ Settings");
    seen.type(`/quit${enter}`);
    await seen.sees("exit 0");
    const again = await openReadyTerminal(after, { home, env });
    expect(again.modes.mouse).toBe("none");
    again.type(`\u001b[O@scout /try silence${enter}`);
    await again.sees("(said nothing)");
    await again.losesSight("Esc stops");
    await again.rests();
    expect(again.strings.filter((one) => one.startsWith("OSC 9;"))).toEqual([]);
  });

  test("a first message that is refused is the draft again and leaves no session behind", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const seen = await openReadyTerminal(after, { home });
    seen.type(`@scuot hello${enter}`);
    await seen.sees('There is no member "scuot"');
    await seen.sees("Did you mean @scout");
    await seen.sees("❯ @scuot hello");
    const files = readdirSync(home.dataDir, { recursive: true }).map(String);
    expect(files.filter((name) => name.endsWith(".jsonl"))).toEqual([]);
  });

  test("an interrupt is shown once, by the mark of the turn, and /interrupt all adds that everything was stopped", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    seen.type(`@scout /try slow 400${enter}`);
    await seen.sees("Step 2 of 400");
    seen.type(escape);
    await seen.sees("■ stopped by you");
    expect((await seen.rests()).join("\n")).not.toMatch(/cancelled|Stopped everything/);
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("I hang now.");
    seen.type(`/interrupt all${enter}`);
    await seen.sees("■ Stopped everything.");
  });
});
