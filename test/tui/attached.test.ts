/** The real program at a server that comes and goes, and the ways to a session. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHome } from "../cli/program.ts";
import { startServing } from "../server/serve-program.ts";
import { ctrl, keys } from "./key-bytes.ts";
import { masked } from "./masked-screen.ts";
import { expectScreen, overlayRows } from "./screen-snapshot.ts";
import { connected, expectRestored, openTestTerminal, openReadyTerminal, until } from "./test-terminal.ts";

const { enter, escape } = keys;

describe.concurrent("sessions and servers", () => {
  test("when the server is killed the status row says so, what is sent is kept, and the next server is found by itself", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const first = await startServing({ home });
    const seen = openTestTerminal(after, { home });
    await seen.sees(connected);
    seen.type(`@scout /try changes${enter}`);
    await seen.sees("Done: reports changed files");
    await seen.losesSight("Esc stops");
    first.child.kill("SIGKILL");
    await first.ended;
    await seen.sees("reconnecting");
    expect(seen.text()).toContain("Done: reports changed files");
    seen.type(`@scout /try silence${enter}`);
    seen.type("and a draft");
    await seen.sees("❯ and a draft");
    const second = await startServing({ home });
    after(() => second.stop());
    await seen.losesSight("reconnecting");
    await seen.sees("(said nothing)");
    await seen.losesSight("Esc stops");
    expect((await seen.rests()).join("\n").match(/❯ \/try silence/g)?.length).toBe(1);
    expect(seen.text()).toContain("❯ and a draft");
    seen.type(`${ctrl("c")}${ctrl("d")}`);
    await seen.sees("exit 0");
    expectRestored(seen);
  });

  test("the session picker lists, filters and opens; in a directory without sessions a new one begins", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const { stdout: none } = await home.run(["sessions", "list", "--json"]);
    expect(JSON.parse(none)).toEqual([]);
    // Both often begin within a second, and then more of their ids is shown.
    await home.run(["-p", "@scout /try silence"]);
    await home.run(["-p", "@scout /try changes"]);
    const picking = openTestTerminal(after, { home, args: ["chat", "--resume"] });
    await picking.sees("2 open sessions in 1 folder");
    await picking.sees("/try changes");
    expectScreen(await picking.rests(), "resume-picker");
    picking.type("/");
    picking.type("silen");
    await picking.losesSight("/try changes");
    picking.type(enter);
    await picking.sees("(said nothing)");
    picking.type(ctrl("d"));
    await picking.sees("exit 0");
    const other = path.join(home.directory, "other");
    mkdirSync(other);
    const elsewhere = openTestTerminal(after, { home, args: ["-C", other] });
    await elsewhere.sees("At the table");
    elsewhere.type(`@scout /try silence${enter}`);
    await elsewhere.sees("(said nothing)");
    elsewhere.type(ctrl("d"));
    await elsewhere.sees("exit 0");
    const { stdout } = await home.run(["sessions", "list", "--json"]);
    expect((JSON.parse(stdout) as unknown[]).length).toBe(3);
  });

  test("[U59] two terminals on one session show the same conversation, each with its own draft", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const served = await startServing({ home });
    after(() => served.stop());
    const one = openTestTerminal(after, { home });
    await one.sees(connected);
    one.type(`@scout /try changes${enter}`);
    await one.sees("Done: reports changed files");
    const two = openTestTerminal(after, { home });
    await two.sees("Done: reports changed files");
    one.type("mine");
    await one.sees("❯ mine");
    two.type(`@scout /try plan${enter}`);
    await Promise.all([one.sees("All three are done"), two.sees("All three are done")]);
    await Promise.all([one.losesSight("Esc stops"), two.losesSight("Esc stops")]);
    const talk = (seen: typeof one) => seen.screen().slice(0, -4);
    const differing = () => talk(one).filter((row, at) => row !== talk(two)[at]);
    await until("both show the same", () => differing().length === 0);
    expect(one.text()).toContain("❯ mine");
    expect(two.text()).not.toContain("❯ mine");
  });
});

test("a kept picture of sessions is the same whatever their ids are, and however long ago they were", () => {
  const row = (id: string, age: string) => `    ${id} · idle · ${age} · 1 turn · scout`;
  const [kept, ...others] = [
    row("pr0gsf", "now"),
    row("435a3c", "now"),
    row("jjrx1z", "2 min"),
    row("jjrx1z", "12 min"),
  ].map((one) => masked([one]));
  expect(others).toEqual([kept, kept, kept]);
});

describe.concurrent("terminals of all kinds", () => {
  test("the terminal's background decides between light and dark, and NO_COLOR removes every colour but no text", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    await home.run(["-p", "@scout /try changes"]);
    const kinds = {
      dark: openTestTerminal(after, { home, background: "1e1e/1e1e/1e1e" }),
      light: openTestTerminal(after, { home, background: "ffff/ffff/ffff" }),
      none: openTestTerminal(after, { home, env: { NO_COLOR: "1" }, background: "ffff/ffff/ffff" }),
    };
    const shown: Record<string, { rows: string[]; cells: string[] }> = {};
    for (const [name, seen] of Object.entries(kinds)) {
      await seen.sees("Done: reports changed files");
      shown[name] = { rows: await seen.rests(), cells: seen.cells() };
    }
    expect(shown["light"]?.rows).toEqual(shown["dark"]?.rows);
    // Without colours a member's bar is a line.
    expect(shown["none"]?.rows).toEqual(shown["dark"]?.rows.map((row) => row.replace(/^ ▎/, " │")));
    expect(shown["light"]?.cells).not.toEqual(shown["dark"]?.cells);
    const colours = (name: string) => shown[name]?.cells.join("\n").match(/\{[^}]*[fg][0-9a-f]+[^}]*\}/g)?.length ?? 0;
    expect([colours("dark") > 5, colours("light") > 5, colours("none")]).toEqual([true, true, 0]);
  });

  test("forty columns show talk, commands and an approval whole; a request survives twenty columns and six rows, and the draft is whole there", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { columns: 40, rows: 24 });
    seen.type(`@scout /try changes${enter}`);
    await seen.sees("Done: reports");
    await seen.losesSight("Esc stops");
    expectScreen(await seen.rests(), "forty-columns");
    seen.type("/");
    await seen.sees("/retry");
    expectScreen((await seen.rests()).slice(-13), "forty-columns-commands");
    seen.type(`${escape}\u0015`);
    seen.type(`@scout /try approval${enter}`);
    await seen.sees("scout asks");
    expectScreen(overlayRows(await seen.rests()), "forty-columns-approval");
    seen.resize(20, 6);
    await seen.rests();
    seen.resize(20, 24);
    await seen.sees("scout ask");
    await new Promise((resolve) => setTimeout(resolve, 500));
    seen.type(escape);
    await seen.losesSight("scout ask");
    seen.type("a draft that is longer than the row");
    await seen.sees(/is longer\s+than the row/);
    seen.resize(20, 6);
    await seen.sees(/is longer\s+than the row/);
    expect((await seen.rests()).length).toBe(6);
  });

  test("a terminal without the kitty protocol gets the other one, and Alt+Enter, Escape and the rest work there", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { hasKitty: false });
    await until("the other one is asked for", () => seen.modes.modifyOtherKeys === 2);
    seen.type("one\u001b\rtwo");
    await seen.sees(/❯ one\s+two/);
    seen.type("\u0003");
    await seen.losesSight("❯ one");
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("I hang now.");
    seen.type("\u001b");
    await seen.sees("Stopped scout.");
    seen.type("\u0004");
    await seen.sees("exit 0");
    expectRestored(seen);
  });
});
