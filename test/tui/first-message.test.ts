/** The draft in the real program: what completes it before there is a session, and what comes back into it whole. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { createHome, jsonLines, type Home } from "../cli/program.ts";
import { keys } from "./key-bytes.ts";
import { connected, serve, openTestTerminal, openReadyTerminal, until } from "./test-terminal.ts";

const { altUp, enter, tab } = keys;

/** The queue as it was after each change. */
function queues(home: Home) {
  const logs = join(home.dataDir, "logs");
  const name = readdirSync(logs).find((file) => file.endsWith(".jsonl")) ?? "";
  const events = jsonLines(readFileSync(join(logs, name), "utf8")) as unknown as SessionEvent[];
  return events.flatMap((event) => (event.type === "queue_updated" ? [event.items] : []));
}

describe.concurrent("the draft", () => {
  test("@ in the first message of a session offers members, then files of the directory; on a named server members only", async ({
    onTestFinished: after,
  }) => {
    const serving = await serve(after);
    const attached = openTestTerminal(after, {
      home: serving.home,
      args: ["attach", serving.url, "--new"],
      env: { ROUNDTABLE_TOKEN: serving.token },
    });
    const seen = await openReadyTerminal(after);
    await seen.sees("scout");
    seen.type("@");
    const text = await seen.sees("@src/parser.js");
    expect(text.indexOf("@scout")).toBeGreaterThan(0);
    expect(text.indexOf("@scout")).toBeLessThan(text.indexOf("@src/parser.js"));
    seen.type("src/pa");
    await seen.sees("❯ @src/pa");
    seen.type(tab);
    await seen.sees("❯ @src/parser.js ");
    await attached.sees("scout");
    attached.type("@");
    await attached.sees("@scout");
    expect((await attached.rests()).join("\n")).not.toContain("parser.js");
  });

  test("a pasted log that was queued comes back whole, and is queued again as it was", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    const seen = await openReadyTerminal(after, { home });
    seen.type(`@scout /try hang${enter}`);
    await seen.sees("I hang now.");
    seen.paste(Array.from({ length: 3_000 }, (_, number) => `line ${number} of the log`).join("\n"));
    await seen.sees("[pasted 3,000 lines]");
    seen.type(tab);
    await seen.sees("queued for scout: line 0 of the log");
    seen.type(altUp);
    await seen.sees("[pasted 3,000 lines");
    await seen.losesSight("queued for scout");
    seen.type(tab);
    await seen.sees("queued for scout: line 0 of the log");
    const [first, none, again, ...more] = queues(home).slice(-3);
    expect(first?.[0]?.textBlob?.bytes).toBeGreaterThan(60_000);
    expect([none, again?.[0]?.textBlob, more]).toEqual([[], first?.[0]?.textBlob, []]);
  });

  test("typed text and two pastes come back as that after the program was killed", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    await serve(after, home);
    const pasted = (count: number) => Array.from({ length: count }, (_, number) => `line ${number}`).join("\n");
    const first = openTestTerminal(after, { home });
    await first.sees(connected);
    first.type("compare ");
    first.paste(pasted(3_000));
    first.type(" with ");
    first.paste(pasted(12));
    const shown = "❯ compare [pasted 3,000 lines] with [pasted 12 lines]";
    await first.sees(shown);
    const beside = join(home.dataDir, "drafts", "new.pastes.json");
    const spans = () => (JSON.parse(readFileSync(beside, "utf8")) as { pastes: unknown[] }).pastes;
    await until("both pastes are on disk", () => existsSync(beside) && spans().length === 2);
    process.kill(first.programPid, "SIGKILL");
    const second = openTestTerminal(after, { home });
    await second.sees(shown);
  });
});
