/** Typing before the program is up: nothing is lost, and nothing is sent that nobody sent. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHome } from "../cli/program.ts";
import { keys } from "./key-bytes.ts";
import { connected, serve, openTestTerminal, until } from "./test-terminal.ts";

const { enter } = keys;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz";
/** As fast as somebody types who does not look. */
const KEY_MS = 15;

describe.concurrent("typing early", () => {
  test("every key typed from the moment the program is started is in the draft, and an early Enter sends", async ({
    onTestFinished: after,
  }) => {
    const words = `${ALPHABET} ${ALPHABET} ${ALPHABET}`;
    const steady = openTestTerminal(after, { columns: 120 });
    const typing = (async () => {
      for (const key of words) {
        steady.type(key);
        await new Promise((resolve) => setTimeout(resolve, KEY_MS));
      }
    })();
    const atOnce = openTestTerminal(after, { columns: 120, rows: 40 });
    atOnce.type(`${words}${enter}`);
    await typing;
    await steady.sees(connected);
    await steady.sees(`❯ ${words}`);
    await atOnce.sees(connected);
    const text = await atOnce.sees(new RegExp(`❯ ${words}`));
    expect(text.split(words).length).toBeLessThanOrEqual(3);
  });

  test("what is typed while the server is sought joins the stored draft of the session", async ({
    onTestFinished: after,
  }) => {
    const home = createHome();
    await serve(after, home);
    const first = openTestTerminal(after, { home });
    await first.sees(connected);
    first.type("the stored half");
    await first.sees("❯ the stored half");
    // Attached is not yet seated: before a session is chosen, what was typed goes into the history instead.
    const draft = path.join(home.dataDir, "drafts", "new.txt");
    await until("the draft is on disk", () => existsSync(draft) && readFileSync(draft, "utf8") === "the stored half");
    process.kill(first.programPid, "SIGTERM");
    await first.sees(/exit \d+/);
    const second = openTestTerminal(after, { home });
    second.type("the typed half");
    await second.sees(/❯ the stored half\s+the typed half/);
  });
});
