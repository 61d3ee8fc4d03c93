/** `export --format sprout`: sessions as sprout's own files, read back by a reader that knows only those. */
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createHome } from "../../../test/cli/program.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { SESSION_ID, writeSession } from "../../../test/generate/on-disk.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { faultsOf, listSessions, readTree, replay } from "./sprout-reader.ts";

const home = createHome();
const OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW";

beforeAll(async () => {
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  const events = stamped([
    created({ title: "First one" }),
    joined("scout"),
    said("m1", ["scout"], { text: "Where is it?" }),
    started("t1", "scout", { messageIds: ["m1"] }),
    { type: "text_done", turnId: "t1", member: "scout", segmentId: "s", text: "I see." },
    ended("t1", "scout"),
  ]);
  await writeSession(home.dataDir, events);
  await writeSession(home.dataDir, stamped([created({ title: "Second" })]), { sessionId: OTHER });
});

const exported = (...args: string[]) => home.run(["export", "--format", "sprout", ...args]);

test("sprout's reader lists and replays what is exported for it", async () => {
  const directory = join(home.directory, "genome", "projects", "-app");
  expect(await exported(directory)).toMatchObject({ code: 0 });
  expect(listSessions(directory)).toMatchObject([
    { sessionId: SESSION_ID, turns: 1, status: "idle", firstPrompt: "Where is it?", lastMessage: "I see." },
    { sessionId: OTHER, turns: 0, status: "idle" },
  ]);
  const history = replay(readTree(directory, SESSION_ID).get("") ?? []);
  expect([history.map(({ role }) => role), faultsOf(history)]).toEqual([["user", "assistant"], []]);
  const again = await exported(SESSION_ID, "--output", directory);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("--force")]);
  expect(await exported(SESSION_ID, "--output", directory, "--force")).toMatchObject({ code: 0 });
  expect(readdirSync(join(directory, "logs")).sort()).toEqual([`${SESSION_ID}.jsonl`, `${OTHER}.jsonl`]);
});

test("without a directory it is a usage error", async () => {
  expect([(await exported()).code, (await exported(SESSION_ID)).code]).toEqual([2, 2]);
});
