/** An exported file whose maker means harm, and an import that is cut: nothing the file names gets to act here. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { importLines } from "../../edges/interchange/lines/import-lines.ts";
import { openAdoptedLog, openFileLog, openLogReader, sessionPaths } from "../../src/log/index.ts";
import type { EventDraft, MemberSpec, SessionEvent } from "../../src/protocol/index.ts";
import { empty, fold, type Head } from "../../src/transcript/index.ts";
import { created, joined, said, SETTINGS } from "../generate/drafts.ts";
import { newDataDir, SESSION_ID, writeSession } from "../generate/on-disk.ts";
import { stamped } from "../generate/stamped.ts";
import { MemoryFiles, type Fault, type Operation } from "../log/memory-files.ts";
import { createRandom } from "../log/seeded-random.ts";

const used: string[] = [];

afterEach(() => {
  for (const directory of used.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function dataDir(): string {
  const made = newDataDir();
  used.push(made);
  return made;
}

const EVIL: MemberSpec = { name: "evil", kind: "acp", command: ["sh", "-c", "true"] };
const BEGINNING: EventDraft[] = [
  created({ settings: { ...SETTINGS, mirror: { kd: "/elsewhere/.kd" } } }),
  joined("good"),
];
const TALK: EventDraft[] = [...BEGINNING, joined("evil", { spec: EVIL }), said("m1", ["evil"])];

function eventsOf(drafts: readonly EventDraft[]): SessionEvent[] {
  return stamped(drafts).map((event) => Object.assign(event, { sessionId: SESSION_ID }));
}

function writeFile(directory: string, events: readonly object[]): string {
  const file = path.join(directory, "evil.jsonl");
  const header = { roundtable: "session", format: 1, sessionId: SESSION_ID, title: "", messages: 1, lastSeq: 0 };
  const lines = [header, ...events, { end: { events: events.length } }];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

type Files = Parameters<typeof importLines>[0]["files"];

/** Undefined when there is no such session, or an empty log of one. */
async function headOf(directory: string, files?: Files): Promise<Head | undefined> {
  const place = { dataDir: directory, sessionId: SESSION_ID, ...(files === undefined ? {} : { files }) };
  const reader = await openLogReader(place).catch(() => undefined);
  if (reader === undefined) return undefined;
  let transcript = empty(SESSION_ID);
  for await (const events of reader.read(0)) transcript = fold(transcript, events);
  await reader.close();
  return transcript.head.seq === 0 ? undefined : transcript.head;
}

async function reopen(directory: string): Promise<void> {
  const log = await openFileLog({ dataDir: directory, sessionId: SESSION_ID });
  await log.append([said("m2", ["good"])]).committed;
  await log.close();
}

describe("numbers", () => {
  const last = { id: "last", ts: 1, sessionId: SESSION_ID, type: "session_renamed", title: "last" };

  test.each([
    { seq: 5, epoch: 999_999_999_999_999 },
    { seq: 999_999_999_999_999, epoch: 1 },
    { seq: 1_000_000_000_001, epoch: 1_000_000_000_001 },
  ])("reports and skips an event whose number is out of range: %o", async (numbers) => {
    const to = dataDir();
    const file = writeFile(to, [...eventsOf(TALK), { ...numbers, ...last }]);
    const { warnings } = await importLines({ dataDir: to, file, members: [] });
    const what = `event ${numbers.seq} of epoch ${numbers.epoch} has a number above 1000000000000, which no session reaches`;
    expect(warnings).toContain(`${file}, line 6: ${what}.`);
    expect(warnings).toContainEqual(expect.stringMatching(/^evil was removed/));
    // However often it is opened, who left stays away, and what was written stays.
    for (const seq of [7, 8, 9]) {
      await reopen(to);
      const head = await headOf(to);
      expect([head?.seq, head?.members["evil"]?.seated, head?.settings?.mirror]).toEqual([seq, false, null]);
    }
  });

  test("a session continues after the largest accepted numbers", async () => {
    const to = dataDir();
    const most = 1_000_000_000_000;
    const file = writeFile(to, [...eventsOf(TALK), { seq: most, epoch: most, ...last }]);
    await importLines({ dataDir: to, file, members: [] });
    for (const more of [3, 4]) {
      await reopen(to);
      const head = await headOf(to);
      expect([head?.seq, head?.members["evil"]?.seated]).toEqual([most + more, false]);
    }
  });

  test("reports and skips an event that would not begin with its seq", async () => {
    const to = dataDir();
    const file = writeFile(to, [...eventsOf(TALK), { seq: 5, epoch: 1, ...last, 0: "first in every object" }]);
    const { warnings } = await importLines({ dataDir: to, file, members: [] });
    expect(warnings).toContain(`${file}, line 6: event 5 (session_renamed) has a field whose name is a number.`);
    expect((await headOf(to))?.title).not.toBe("last");
  });
});

describe("a cut", () => {
  const CHANGES: Operation[] = [
    "create",
    "write",
    "datasync",
    "truncate",
    "rename",
    "unlink",
    "mkdir",
    "syncDirectory",
  ];

  /** What is there before, in memory under the name of a directory that the lock is in. */
  async function diskWith(directory: string, drafts: readonly EventDraft[]): Promise<MemoryFiles> {
    const files = new MemoryFiles();
    if (drafts.length === 0) return files;
    const log = await openAdoptedLog({ dataDir: directory, sessionId: SESSION_ID, files });
    log.write(eventsOf(drafts));
    await log.close();
    return files;
  }

  function expectNoHarm(head: Head | undefined, what: unknown): void {
    const { members, settings } = head ?? {};
    // Either nothing of the file is there, or it is harmless.
    const isOld = members?.["evil"] === undefined;
    expect([what, members?.["evil"]?.seated ?? false]).toEqual([what, false]);
    expect([what, isOld || settings?.mirror === null]).toEqual([what, true]);
  }

  test.each([
    { name: "a new session", before: [], persistent: true },
    { name: "a new session", before: [], persistent: false },
    { name: "a session that is gone on with", before: BEGINNING, persistent: true },
    { name: "a session that is gone on with", before: BEGINNING, persistent: false },
  ])("$name, for good: $persistent: it is not visible before every process that must leave has left", async (one) => {
    const to = dataDir();
    const file = writeFile(to, eventsOf(TALK));
    const random = createRandom(7);
    let cuts = 0;
    for (let at = 1; ; at += 1) {
      const files = await diskWith(to, one.before);
      const fault: Fault = { at, operations: CHANGES, effect: { error: "EIO" }, persistent: one.persistent };
      files.fault = fault;
      await importLines({ dataDir: to, file, members: [], files }).catch(() => {});
      if (files.hits === 0) break;
      cuts += 1;
      files.fault = undefined;
      expectNoHarm(await headOf(to, files), [at, "as it was left"]);
      await importLines({ dataDir: to, file, members: [], files });
      const head = await headOf(to, files);
      expectNoHarm(head, [at, "again"]);
      expect([at, head?.members["evil"]?.seated, head?.seq]).toEqual([at, false, 6]);
      if (!one.persistent) continue;
      const cut = await diskWith(to, one.before);
      cut.fault = fault;
      await importLines({ dataDir: to, file, members: [], files: cut }).catch(() => {});
      expectNoHarm(await headOf(to, cut.powerCut(random)), [at, "after a power cut"]);
    }
    expect(cuts).toBeGreaterThan(10);
  });

  test("the next import completes one that was cut off; other sessions are left alone", async () => {
    const [cut, own] = [dataDir(), dataDir()];
    const file = writeFile(cut, eventsOf(TALK));
    for (const directory of [cut, own]) await writeSession(directory, eventsOf(TALK));
    rmSync(sessionPaths(cut, SESSION_ID).epoch);
    const { warnings } = await importLines({ dataDir: cut, file, members: [] });
    expect(warnings).toHaveLength(2);
    expect((await headOf(cut))?.members["evil"]?.seated).toBe(false);
    expect(await importLines({ dataDir: cut, file, members: [] })).toMatchObject({ isNew: false, warnings: [] });
    expect(await importLines({ dataDir: own, file, members: [] })).toMatchObject({ isNew: false, warnings: [] });
    expect((await headOf(own))?.members["evil"]?.seated).toBe(true);
    expect(existsSync(path.join(own, "forks"))).toBe(false);
  });
});
