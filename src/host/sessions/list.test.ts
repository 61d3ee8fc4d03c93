import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newDataDir, openHost } from "../../../test/host/open-host.ts";
import { asked, created, sessionNumber, writeSession } from "../../../test/host/searched-session.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The minimum for writing the cache. */
const SESSIONS = 32;
let dataDir = "";
let file = "";

beforeEach(async () => {
  dataDir = newDataDir();
  file = path.join(dataDir, "sessions", "list.json");
  for (let number = 0; number < SESSIONS; number += 1) {
    const sessionId = sessionNumber(number);
    await writeSession({ dataDir, sessionId, drafts: [created(`title ${number}`), asked("hello")] });
  }
  const host = await openHost(dataDir);
  expect((await host.listSessions()).length).toBe(SESSIONS);
  await host.close();
});

/** A new host. */
async function titles(): Promise<string[]> {
  const host = await openHost(dataDir);
  closing.push(() => host.close());
  return (await host.listSessions()).map(({ title }) => title).sort();
}

test.each([
  ["torn", (text: string) => text.slice(0, 300)],
  ["of another format", (text: string) => text.replace('"format":1', '"format":99')],
  ["of something else", () => '{"format":1,"sessions":[null,7,{"size":1}]}'],
])("a kept list that is %s is as good as none", async (_what, spoil) => {
  writeFileSync(file, spoil(readFileSync(file, "utf8").replaceAll('"title ', '"kept ')));
  expect(await titles()).toEqual(Array.from({ length: SESSIONS }, (_, number) => `title ${number}`).sort());
});

test("summaries are cached for the next process, and used only while the log is unchanged", async () => {
  writeFileSync(file, readFileSync(file, "utf8").replaceAll('"title ', '"kept '));
  expect((await titles()).filter((title) => title.startsWith("kept ")).length).toBe(SESSIONS);
  await writeSession({ dataDir, sessionId: sessionNumber(7), drafts: [{ type: "session_renamed", title: "newer" }] });
  const after = await titles();
  expect([after.includes("newer"), after.filter((title) => title.startsWith("kept ")).length]).toEqual([
    true,
    SESSIONS - 1,
  ]);
});
