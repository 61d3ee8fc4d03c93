/** What members ask, answered in the real program: every kind of request, its answer and its refusal. */
import { describe, expect, test } from "vitest";
import { ANSWER_GRACE_MS } from "../../src/client/request-queue.ts";
import { alt, ctrl, keys } from "./key-bytes.ts";
import { expectScreen } from "./screen-snapshot.ts";
import { openReadyTerminal, homeWithThree } from "./test-terminal.ts";
import type { SeenTerminal } from "./terminal.ts";

const { enter, escape, down, tab } = keys;

async function ask(seen: SeenTerminal, phrase: string, title: string, snapshot?: string): Promise<void> {
  seen.type(`@scout /try ${phrase}${enter}`);
  await seen.sees(`   ${title.trim()}`);
  if (snapshot !== undefined) expectScreen(await seen.rests(), snapshot);
  await graceIsOver();
}

/** Without the name of the one that asks. */
function nameless(rows: readonly string[]): string[] {
  return rows.map((row) => row.replace(/(?<=◆ |\d\. )(?:ada|bob|cyd)(?= asks you| · Go on)/, "ada"));
}

/** A request that would act is deaf at first, on the clock of the program. */
async function graceIsOver(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ANSWER_GRACE_MS + 100));
}

/** The newest answer that scout says it got. */
async function answered(seen: SeenTerminal, words: string): Promise<void> {
  await seen.losesSight("─ ◆ scout asks");
  await seen.sees(words);
  await seen.sees("Enter send");
}

describe.concurrent("requests", () => {
  test("select, confirm, input and editor take their answer, and Escape or Ctrl+C cancels each without an answer", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after);
    await ask(seen, "select", "Which colour?", "request-select");
    seen.type(`${down}${enter}`);
    await answered(seen, 'You answered "green".');
    await ask(seen, "select", "Which colour?");
    seen.type(escape);
    await answered(seen, "You answered null.");

    await ask(seen, "confirm", "Go on?", "request-confirm");
    seen.type("y");
    await answered(seen, "You answered true.");
    await ask(seen, "confirm", "Go on?");
    seen.type(ctrl("c"));
    await answered(seen, "You answered null.");
    await ask(seen, "confirm", "Go on?");
    seen.type(escape);
    await seen.sees(/Go on\?  ⊘ no answer[^]*You answered null\.[^]*Go on\?  ⊘ no answer[^]*You answered null\./);

    await ask(seen, "input", "Your name?", "request-input");
    seen.type(`Ada${enter}`);
    await answered(seen, 'You answered "Ada".');
    await ask(seen, "input", "Your name?");
    seen.type(escape);
    await answered(seen, "You answered null.");

    await ask(seen, "editor", "Edit this note", "request-editor");
    seen.type(`third${enter}`);
    await answered(seen, 'You answered "First line\\nSecond line\\nthird".');
    await ask(seen, "editor", "Edit this note");
    seen.type(escape);
    await answered(seen, "You answered null.");
  });

  test("an approval shows the whole command and the changes; a question goes through its parts and is sent at once", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { rows: 30 });
    await ask(seen, "approval", "  $ rm -rf build", "request-approval");
    seen.type("1");
    await answered(seen, 'You answered "allow".');
    await ask(seen, "approval", "  $ rm -rf build");
    seen.type(escape);
    await seen.sees("scout is waiting for your answer. Alt+I shows it again.");
    seen.type(alt("i"));
    await seen.sees("y  Allow once");
    await graceIsOver();
    seen.type("w");
    await seen.sees("─ deny, and tell scout ─");
    seen.type(`use make${enter}`);
    await answered(seen, "You answered false.");
    await seen.sees("denied: use make");

    await ask(seen, "question", "Two questions", "request-question");
    seen.type(" ");
    await seen.sees("[x] Red");
    seen.type(`${down}${down} `);
    await seen.sees("[x] Blue");
    seen.type(tab);
    await seen.sees("2 of 2 · skipped in");
    seen.type("because");
    await seen.sees(/❯ 1 {2}because/);
    expectScreen(await seen.rests(), "request-question-answers");
    seen.type(enter);
    await answered(seen, 'You answered {"colours":["red","blue"],"why":"because"}.');
  });

  test("requests of several members are asked in order with a count, can wait in the inbox, and leave the draft alone", async ({
    onTestFinished: after,
  }) => {
    const seen = await openReadyTerminal(after, { home: homeWithThree(), rows: 40 });
    seen.type(`@all /try confirm${enter}`);
    await seen.sees("asks you");
    await seen.sees("2 more waiting");
    expectScreen(nameless(await seen.rests()), "request-of-three");
    // Other sessions can be looked at meanwhile.
    seen.type(ctrl("l"));
    await seen.sees("Needs you");
    expect(seen.text()).not.toContain("asks you");
    seen.type(escape);
    await seen.sees("2 more waiting");
    // Members work side by side, so any of them may be the first to ask.
    const askers: string[] = [];
    for (let asked = 0; asked < 3; asked += 1) {
      await seen.sees("asks you");
      const name = /◆ (\w+) asks you/.exec(seen.text())?.[1] ?? "";
      askers.push(name);
      await graceIsOver();
      seen.type(ctrl("o"));
      await seen.losesSight(`${name} asks you`);
    }
    expect(askers.toSorted()).toEqual(["ada", "bob", "cyd"]);
    const [first = "", second = "", third = ""] = askers;
    await seen.sees(`◆ ${first} asks: Go on? · Alt+I answers ─`);
    expect(seen.text().match(/Go on\? {2}◆ waits for you/g)).toHaveLength(3);
    seen.type("my draft");
    await seen.sees("❯ my draft");
    seen.type(alt("i"));
    await seen.sees(`${first} asks you`);
    await graceIsOver();
    seen.type(alt("i"));
    await seen.sees("─ Waiting for you");
    const listed = [...seen.text().matchAll(/\d\. (\w+) · Go on/g)].map(([, name]) => name);
    expect(listed).toEqual(askers);
    expectScreen(nameless(await seen.rests()), "inbox");
    seen.type(`${down}${enter}`);
    await seen.sees(`${second} asks you`);
    await graceIsOver();
    seen.type("y");
    await seen.sees(/You answered true/);
    for (const name of [first, third]) {
      if (!seen.text().includes(`${name} asks you`)) seen.type(alt("i"));
      await seen.sees(`${name} asks you`);
      await graceIsOver();
      seen.type("n");
      await seen.losesSight(`${name} asks you`);
    }
    await seen.sees("Enter send");
    const text = (await seen.rests()).join("\n");
    expect(text.match(/You answered (?:true|false)/g)?.toSorted()).toEqual([
      "You answered false",
      "You answered false",
      "You answered true",
    ]);
    expect(text).toContain("❯ my draft");
  });
});
