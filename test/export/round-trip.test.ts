/** JSON lines out and in again: the session that comes back folds to the same bytes. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { importLines } from "../../edges/interchange/lines/import-lines.ts";
import { readExportHeader } from "../../edges/interchange/lines/survey-file.ts";
import { exportSession } from "../../src/host/index.ts";
import { exporterOf } from "../edge-parts.ts";
import { compressLog, openLogReader, sessionPaths } from "../../src/log/index.ts";
import { FOR_EDITS, FOR_SESSION, type EventDraft, type SessionEvent } from "../../src/protocol/index.ts";
import { empty, fold, type Transcript } from "../../src/transcript/index.ts";
import { created, ended, joined, said, SETTINGS, started } from "../generate/drafts.ts";
import { newDataDir, SESSION_ID, writeSession } from "../generate/on-disk.ts";
import { sampleLog, sessionLog } from "../generate/session-log.ts";
import { stamped } from "../generate/stamped.ts";

const used: string[] = [];

afterEach(() => {
  for (const directory of used.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function dataDir(): string {
  const made = newDataDir();
  used.push(made);
  return made;
}

async function readAll(directory: string, sessionId: string): Promise<SessionEvent[]> {
  const reader = await openLogReader({ dataDir: directory, sessionId });
  const events: SessionEvent[] = [];
  for await (const batch of reader.read(0)) events.push(...batch);
  await reader.close();
  return events;
}

async function foldOf(directory: string, sessionId: string): Promise<Transcript> {
  return fold(empty(sessionId), await readAll(directory, sessionId));
}

async function exportTo(file: string, directory: string, redact?: { terms: string[] }): Promise<readonly string[]> {
  const options = { dataDir: directory, sessionId: SESSION_ID, exporter: exporterOf("jsonl") };
  const made = await exportSession({ ...options, ...(redact === undefined ? {} : { redact }) });
  let text = "";
  for await (const piece of made.chunks) text += piece;
  writeFileSync(file, text);
  return made.report();
}

const bring = (file: string, directory: string, members: Parameters<typeof importLines>[0]["members"] = []) =>
  importLines({ dataDir: directory, file, members });

test("[R187] a session that was exported and imported elsewhere folds to the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(sessionLog({ steps: 40 }), async (events) => {
      const [from, to] = [dataDir(), dataDir()];
      await writeSession(from, events);
      const file = path.join(from, "out.jsonl");
      await exportTo(file, from);
      const { sessionId, isNew, warnings } = await bring(file, to);
      expect({ sessionId, isNew, warnings }).toStrictEqual({ sessionId: SESSION_ID, isNew: true, warnings: [] });
      const [a, b] = [await foldOf(from, SESSION_ID), await foldOf(to, SESSION_ID)];
      expect(JSON.stringify(b)).toBe(JSON.stringify(a));
      const [before, after] = [from, to].map((one) => readFileSync(sessionPaths(one, SESSION_ID).log));
      expect(after?.equals(before ?? Buffer.alloc(0))).toBe(true);
    }),
    { numRuns: 10 },
  );
});

test("events lost in a damaged log are missing at the same seq; only their file offset is unknown", async () => {
  const [from, to] = [dataDir(), dataDir()];
  await writeSession(from, sampleLog(7, { steps: 60, damage: true }));
  const file = path.join(from, "out.jsonl");
  await exportTo(file, from);
  await bring(file, to);
  const withoutPosition = (event: SessionEvent) =>
    event.type === "damage" ? { ...event, offset: 0, bytes: 0 } : event;
  const [a, b] = [await readAll(from, SESSION_ID), await readAll(to, SESSION_ID)];
  expect(a.some(({ type }) => type === "damage")).toBe(true);
  expect(JSON.stringify(b.map(withoutPosition))).toBe(JSON.stringify(a.map(withoutPosition)));
});

const blob = Buffer.from("the whole text ".repeat(100_000));
const ref = { sha256: createHash("sha256").update(blob).digest("hex"), bytes: blob.length };
const talk: EventDraft[] = [
  created(),
  joined("claude"),
  said("m1", ["claude"], { text: "the whole", textBlob: ref }),
  started("t1", "claude", { messageIds: ["m1"] }),
  ended("t1", "claude"),
];

test("blobs are in the file, in chunks, and are checked by their hash", async () => {
  const [from, to] = [dataDir(), dataDir()];
  await writeSession(from, stamped(talk), { blobs: [blob] });
  const file = path.join(from, "out.jsonl");
  await exportTo(file, from);
  await bring(file, to);
  const reader = await openLogReader({ dataDir: to, sessionId: SESSION_ID });
  expect(Buffer.from((await reader.blobs.get(ref.sha256)) ?? []).equals(blob)).toBe(true);
  await reader.close();
  // One that was changed on the way is not taken for what it says it is.
  const third = dataDir();
  writeFileSync(file, readFileSync(file, "utf8").replace('"base64":"dGhl', '"base64":"ZGhl'));
  const { warnings } = await bring(file, third);
  expect(warnings).toStrictEqual(["1 lines of attachments or outputs are damaged."]);
});

test("the same file is the same session; a longer export of it adds what is new", async () => {
  const [from, to] = [dataDir(), dataDir()];
  const all = sampleLog(3, { steps: 60 });
  const file = path.join(from, "out.jsonl");
  await writeSession(from, all.slice(0, 100));
  await exportTo(file, from);
  expect(await bring(file, to)).toMatchObject({ sessionId: SESSION_ID, isNew: true });
  expect(await bring(file, to)).toMatchObject({ sessionId: SESSION_ID, isNew: false, added: 0, warnings: [] });
  expect(await bring(file, from)).toMatchObject({ sessionId: SESSION_ID, isNew: false, added: 0 });
  await writeSession(from, all.slice(100));
  await exportTo(file, from);
  const second = await bring(file, to);
  expect(second).toMatchObject({ sessionId: SESSION_ID, isNew: false });
  expect(second.added).toBeGreaterThan(0);
  expect(JSON.stringify(await foldOf(to, SESSION_ID))).toBe(JSON.stringify(await foldOf(from, SESSION_ID)));
});

test("an import that was cut anywhere is finished by the next one", async () => {
  const [from, to] = [dataDir(), dataDir()];
  await writeSession(from, sampleLog(5, { steps: 40 }));
  const file = path.join(from, "out.jsonl");
  await exportTo(file, from);
  await bring(file, to);
  const { log } = sessionPaths(to, SESSION_ID);
  const whole = readFileSync(log);
  for (const part of [0, 0.001, 0.3, 0.7, 0.999]) {
    truncateSync(log, Math.floor(whole.length * part));
    await bring(file, to);
    expect([part, readFileSync(log).equals(whole)]).toEqual([part, true]);
  }
});

test("a session that went its own way here is not touched: the file becomes another one, always the same", async () => {
  const [from, to] = [dataDir(), dataDir()];
  const file = path.join(from, "out.jsonl");
  await writeSession(from, sampleLog(3, { steps: 50 }));
  await writeSession(
    to,
    sampleLog(4, { steps: 50 }).map((event) => Object.assign(event, { id: `other-${event.seq}` })),
  );
  const before = readFileSync(sessionPaths(to, SESSION_ID).log);
  await exportTo(file, from);
  const first = await bring(file, to);
  expect(first.sessionId).not.toBe(SESSION_ID);
  expect(first.sessionId.slice(0, 10)).toBe(SESSION_ID.slice(0, 10));
  expect(readFileSync(sessionPaths(to, SESSION_ID).log).equals(before)).toBe(true);
  expect(await bring(file, to)).toMatchObject({ sessionId: first.sessionId, isNew: false, added: 0 });
  const other = JSON.stringify(await foldOf(to, first.sessionId));
  expect(other.replaceAll(first.sessionId, SESSION_ID)).toBe(JSON.stringify(await foldOf(from, SESSION_ID)));
});

test("reports invalid lines by number and shows the gap in the session", async () => {
  const [from, to] = [dataDir(), dataDir()];
  await writeSession(from, stamped(talk.map((one) => ("textBlob" in one ? said("m1", ["claude"]) : one))));
  const file = path.join(from, "out.jsonl");
  await exportTo(file, from);
  const lines = readFileSync(file, "utf8").split("\n");
  lines[3] = '{"seq":3,"half';
  lines[4] = (lines[4] ?? "").replace('"cause":"user"', '"cause":"magic"');
  lines.splice(
    5,
    0,
    "[1]",
    '{"seq":1,"epoch":1,"id":"x","ts":1,"sessionId":"y","type":"z"}',
    '{"blob":{"sha256":"../../x"}}',
  );
  lines.splice(-2, 1);
  writeFileSync(file, `${lines.join("\n")}\n`);
  const { warnings } = await bring(file, to);
  expect(warnings.map((one) => one.replace(file, "FILE"))).toStrictEqual([
    "FILE, line 4: it cannot be read (not json, 14 bytes).",
    expect.stringMatching(/^FILE, line 5: event 4 \(turn_start\) is not valid: cause: /),
    "FILE, line 6: it is not an event: Invalid input: expected object, received array.",
    "FILE, line 7: it is an event of another session.",
    expect.stringMatching(/^FILE, line 8: it is not part of a blob: /),
    "FILE is truncated: its last line is missing; 3 events were read.",
  ]);
  expect((await readAll(to, SESSION_ID)).map(({ seq, type }) => [seq, type])).toStrictEqual([
    [1, "session_created"],
    [2, "member_joined"],
    [4, "damage"],
    [5, "turn_end"],
  ]);
});

test("refuses a file that is no export with a message, and creates nothing", async () => {
  const to = dataDir();
  for (const [name, text] of Object.entries({
    empty: "",
    foreign: '{"type":"user"}\n',
    newer: `{"roundtable":"session","format":9,"sessionId":"${SESSION_ID}","title":"","messages":0,"lastSeq":0}\n`,
    traversal: '{"roundtable":"session","format":1,"sessionId":"../../../../x","title":"","messages":0,"lastSeq":0}\n',
  })) {
    const file = path.join(to, name);
    writeFileSync(file, text);
    await expect(bring(file, to)).rejects.toMatchObject({ code: "unsupported" });
    expect(await readExportHeader(file)).toBeUndefined();
  }
});

test.each([FOR_SESSION, FOR_EDITS])(
  "nothing a file names acts here: programs leave the table, mirrors end, lasting approvals (%s) end writing",
  async (lasting) => {
    const spec = { name: "evil", kind: "acp", command: ["sh", "-c", "true"] } as const;
    const events = stamped([
      created({ settings: { ...SETTINGS, mirror: { kd: "/elsewhere/.kd" } } }),
      joined("evil", { spec: { ...spec, command: [...spec.command] } }),
      joined("good", { spec: { name: "good", kind: "embedded" } }),
      { type: "ui_response", requestId: "r1", result: lasting, error: null },
    ]);
    const [from, to, known] = [dataDir(), dataDir(), dataDir()];
    await writeSession(from, events);
    const file = path.join(from, "out.jsonl");
    await exportTo(file, from);
    const { warnings } = await bring(file, to);
    expect(warnings).toHaveLength(3);
    const { members, settings } = (await foldOf(to, SESSION_ID)).head;
    expect([members["evil"]?.seated, members["good"]?.seated]).toStrictEqual([false, true]);
    expect([settings?.mirror, settings?.writable]).toStrictEqual([null, false]);
    expect(await bring(file, to)).toMatchObject({ isNew: false, added: 0, warnings: [] });
    // One that is configured here in the same words may stay.
    await bring(file, known, [{ ...spec, command: [...spec.command] }]);
    expect((await foldOf(known, SESSION_ID)).head.members["evil"]?.seated).toBe(true);
  },
);

test("a redacted export differs by the redactions only, and is imported as another session", async () => {
  const secret = ["ghp_", "q7Zr2Lk9Xc4Vb8Nm1Ws6Tg3Yh5"].join("");
  const events = sampleLog(11, { steps: 80 });
  const last = events.at(-1);
  const more = stamped([said("m-last", [], { text: `Acme's key is ${secret}` })], last?.seq ?? 0);
  const [from, to] = [dataDir(), dataDir()];
  await writeSession(from, [...events, ...more.map((event) => Object.assign(event, { epoch: last?.epoch ?? 1 }))]);
  const file = path.join(from, "out.jsonl");
  const report = await exportTo(file, from, { terms: ["acme"] });
  expect(report[0]).toBe("Redacted 1 key or token and 1 chosen word.");
  expect(readFileSync(file, "utf8")).not.toContain(secret);
  const { sessionId } = await bring(file, to);
  expect(sessionId).not.toBe(SESSION_ID);
  const plain = JSON.stringify(await readAll(from, SESSION_ID));
  const expected = plain.replace(`Acme's key is ${secret}`, "[redacted]'s key is [redacted]");
  const back = JSON.stringify(await readAll(to, sessionId)).replaceAll(sessionId, SESSION_ID);
  // Pieces that came after their turn's end are shown nowhere and are emptied.
  const late = /"segmentId":"late","text":"(?:Late)?"/g;
  expect(back.replaceAll(late, "")).toBe(expected.replaceAll(late, ""));
});

test("an import continues in a compressed archived session, and leaves it compressed when nothing is new", async () => {
  const [from, to] = [dataDir(), dataDir()];
  const all = sampleLog(3, { steps: 40 });
  const file = path.join(from, "out.jsonl");
  await writeSession(from, all.slice(0, 60));
  await exportTo(file, from);
  await bring(file, to);
  const { log, compressed } = sessionPaths(to, SESSION_ID);
  await compressLog({ dataDir: to, sessionId: SESSION_ID });
  expect([existsSync(log), existsSync(compressed)]).toEqual([false, true]);
  expect(await bring(file, to)).toMatchObject({ isNew: false, added: 0 });
  expect(existsSync(log)).toBe(false);
  await writeSession(from, all.slice(60));
  await exportTo(file, from);
  expect(await bring(file, to)).toMatchObject({ sessionId: SESSION_ID, isNew: false });
  expect(JSON.stringify(await foldOf(to, SESSION_ID))).toBe(JSON.stringify(await foldOf(from, SESSION_ID)));
});
