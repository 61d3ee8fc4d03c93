/** What members do, as it stands on the screen of the real program: panels, signals, the queue and steering. */
import { describe, expect, test } from "vitest";
import { alt, keys } from "./key-bytes.ts";
import { expectScreen } from "./screen-snapshot.ts";
import { openReadyTerminal, homeWithThree } from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter, escape, tab } = keys;

/** The words must be new to the screen: what is typed before their turn has ended steers it. */
async function endsWith(seen: SeenTerminal, words: string): Promise<void> {
  await seen.sees(words);
  await seen.losesSight("Esc stops");
}

async function answers(seen: SeenTerminal, line: string, words: string): Promise<void> {
  seen.type(`${line}${enter}`);
  await endsWith(seen, words);
}

describe.concurrent("panels", () => {
  test("members that speak at once are all seen, each with its count and cursor; the next of a round waits in a panel", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { home: homeWithThree(), columns: 100, rows: 30 });
    seen.type(`@all /try slow 400${enter}`);
    const text = await seen.sees(/ada .*writing[^]*bob .*writing[^]*cyd .*writing/);
    expect(text).toMatch(/▎ ada .*writing · 0:\d\d\n[^]*Step 1 of 400[^]*▍/);
    await seen.sees("3 working");
    seen.type(escape);
    await seen.sees("Stopped ada, bob and cyd.");
    seen.type(alt("s"));
    await seen.sees("Mode sequential");
    seen.type(`@all /try slow 400${enter}`);
    await seen.sees(/▎ ada .*writing/);
    expectScreen(
      (await seen.sees("◌ bob is next")).split("\n").filter((row) => row.startsWith(" ◌ ")),
      "waiting-panels",
    );
    seen.type(`/interrupt all${enter}`);
    await seen.sees(/Stopped \w+\./);
  });

  test("plans, changes, errors, retries, model switches, silence and context are shown as text", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { columns: 90, rows: 50 });
    seen.type(`@scout /try plan${enter}`);
    await seen.sees(/\S Change it/);
    await endsWith(seen, "All three are done");
    await answers(seen, "@scout /try changes", "Done: reports changed files");
    await answers(seen, "@scout /try error", "r ask scout again");
    await answers(seen, "@scout /try fallback", "Done: says that another model answers");
    expectScreen(await seen.rests(), "work");
    seen.type(`@scout /try retrying${enter}`);
    await seen.sees(/↻ retrying in .* attempt 1 of 3/);
    await endsWith(seen, "The third attempt succeeded.");
    await answers(seen, "@scout /try silence", "(said nothing)");
    await answers(seen, "@scout /try usage", "Done: shows the usage");
    await answers(seen, "@scout /try context", "scout 25%");
    await answers(seen, "@scout /try crash", "✗ Internal error in scout");
    expectScreen(await seen.rests(), "work-and-faults");
  });

  test("notices, status, widget, working line, title and editor text appear where they belong and go again", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { home: homeWithThree(), columns: 110, rows: 40 });
    const shows = (rows: RegExp) => seen.shows(() => rows.test(seen.screen().join("\n")));
    // Each is there for three seconds; on a slow machine they are not all there at once.
    seen.type(`@ada /try status${enter}`);
    await shows(/│ scout: trying the status/);
    seen.type(`/to bob /try widget${enter}`);
    await shows(/^ scout\n a widget\n of three lines\n─ to .* · Esc stops (?:it|all) ─\n ❯ /m);
    seen.type(`/to cyd /try working${enter}`);
    await shows(/─ \S Trying the working message · \d:\d\d · Esc stops (?:it|all) ─\n ❯ /m);
    await seen.losesSight(/^ of three lines/m);
    await seen.losesSight("Esc stops");
    expect(seen.text()).not.toContain("scout: trying the status ·");
    await answers(seen, "@ada /try title", "Done: sets the title");
    expect(seen.title).toBe("scout was here · roundtable");
    await answers(seen, "@ada /try editor-text", "Done: puts text");
    await seen.sees("❯ where is createAgent defined");
    seen.type("\u0015");
    await answers(seen, "@ada /try notify", "Four notices");
    for (const sign of ["✓", "✗", "▎"]) expect(seen.text()).toContain(`${sign} ada: A notice of the kind`);
  });

  test("while members run Enter steers them and Tab queues; the queue is seen, reordered, shortened and pulled back", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { rows: 34 });
    seen.type(`@scout /try slow 400${enter}`);
    await seen.sees("Step 2 of 400");
    seen.type(`faster${enter}`);
    await seen.sees("❯ ↳ faster");
    await seen.sees("You said: faster");
    for (const text of ["first", "second", "third"]) {
      seen.type(`${text}${tab}`);
      await seen.sees(`queued for scout: ${text}`);
    }
    seen.type(`/queue${enter}`);
    await seen.sees("❯ 1. first");
    seen.type("\u001b[1;2B");
    await seen.sees("❯ 2. first");
    seen.type("d");
    await seen.losesSight("first\n");
    seen.type(escape);
    await seen.losesSight("─ Queue");
    await seen.sees(/queued for scout: second[^]*queued for scout: third/);
    seen.type(keys.altUp);
    await seen.sees("❯ @scout third");
    seen.type(`, and more${tab}`);
    await seen.sees("queued for scout: third, and more");
    seen.type(escape);
    await seen.sees("Stopped scout.");
    seen.type(alt("m"));
    await seen.sees("the message");
  });
});
