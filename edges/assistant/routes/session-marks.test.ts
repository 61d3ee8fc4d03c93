import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMarkStore } from "./session-marks.ts";
import { ourId, theirId } from "./session-names.ts";

const newDir = () => mkdtempSync(join(tmpdir(), "rt-marks-"));
const OURS = "01JD0000000000000000000000";

test("pins, attributes, chosen ids and preferences survive a restart, and two ports do not overwrite each other", async () => {
  const dataDir = newDir();
  const [one, two] = [createMarkStore(dataDir), createMarkStore(dataDir)];
  await Promise.all([
    one.changeMarks(OURS, (marks) => ({ ...marks, pinnedAt: "then" })),
    two.changeMarks(OURS, (marks) => ({ ...marks, attributes: { a: 1 } })),
    one.assignId("theirs", OURS),
    two.setPreferences({ theme: "dark" }),
  ]);
  const state = await createMarkStore(dataDir).read();
  expect(state).toStrictEqual({
    sessions: { [OURS]: { pinnedAt: "then", attributes: { a: 1 } } },
    ids: { theirs: OURS },
    preferences: { theme: "dark" },
  });
  expect([ourId(state, "theirs"), ourId(state, OURS), theirId(state, OURS)]).toStrictEqual([OURS, OURS, "theirs"]);
  expect([ourId(state, "__proto__"), ourId(state, "../x")]).toStrictEqual([undefined, undefined]);
  expect(statSync(join(dataDir, "assistant.json")).mode & 0o777).toBe(0o600);
});

test("a chosen id is unique, oversized data is rejected, and a damaged file is left as it is", async () => {
  const dataDir = newDir();
  const store = createMarkStore(dataDir);
  await store.assignId("theirs", OURS);
  await expect(store.assignId("theirs", OURS)).rejects.toMatchObject({ code: "conflict" });
  await expect(store.setPreferences({ big: "x".repeat(70_000) })).rejects.toMatchObject({ code: "too_large" });
  const path = join(dataDir, "assistant.json");
  writeFileSync(path, "{broken");
  await expect(store.setPreferences({})).rejects.toMatchObject({ code: "store_unavailable" });
  expect(readFileSync(path, "utf8")).toBe("{broken");
});
