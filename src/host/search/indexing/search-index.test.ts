import { mkdtempSync, openSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { linearSearch, type LinearQuery } from "../../../../test/host/linear-search.ts";
import {
  asked,
  created,
  said,
  sessionNumber,
  turnBegins,
  writeSession,
} from "../../../../test/host/searched-session.ts";
import { createRandom } from "../../../../test/log/seeded-random.ts";
import { openFileLog } from "../../../log/index.ts";
import type { EventDraft, SearchQuery } from "../../../protocol/index.ts";
import { indexPath } from "./database-file.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { searchDataDir } from "../search-data-dir.ts";
import { patient } from "../../../../test/patience.ts";

const newDir = () => mkdtempSync(path.join(tmpdir(), "rt-search-"));
const search = (dataDir: string, query: SearchQuery) => searchDataDir({ dataDir, query, patienceMs: patient(60_000) });
const FIRST = sessionNumber(1);

/** A session of one question and one answer. */
async function oneSession(dataDir: string, text = "the parser of the fourth file", sessionId = FIRST): Promise<void> {
  await writeSession({
    dataDir,
    sessionId,
    drafts: [created("A title"), asked("where is it"), turnBegins("t"), said("t", text)],
  });
}

async function findSnippets(dataDir: string, text: string): Promise<string[]> {
  return (await search(dataDir, { words: text })).hits.map(({ snippet }) => snippet);
}

const TEXTS = [
  ..."parser parse lock takeLock(path) HTTPServer src/log/lock.ts naïve Übergröße".split(" "),
  ..."検索エンジン 検査 foo_bar fooBar(x) a go 42 don't =>".split(" "),
];
const VOCABULARY = [
  ..."pars parser lock takelock takeLock( server httpserver src/log naive uber".split(" "),
  ..."検索 索エ 検 foo foobar bar go a 42 don't path log missing".split(" "),
  '"foo bar"',
  '"parser lock"',
];

/** A few hundred events of random words, members and tools. */
function randomDrafts(random: () => number): EventDraft[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(TEXTS)).join(pick([" ", "\n", ", "]));
  const drafts: EventDraft[] = [created(text(), pick(["/one", "/two"]))];
  for (let number = 0; number < 40; number += 1) {
    const turn = { turnId: `t${number}`, member: pick(["ada", "bob"]) };
    const tool = { ...turn, toolCallId: `c${number}` };
    drafts.push(
      ...pick<EventDraft[]>([
        [asked(text(), `m${number}`)],
        [turnBegins(turn.turnId, turn.member), said(turn.turnId, text(), turn.member)],
        [{ type: "thinking_done", ...turn, segmentId: "h", text: text() }],
        [{ type: "text_delta", ...turn, segmentId: "s", text: text() }],
        [
          { type: "tool_call_start", ...tool, name: pick(["bash", "read"]), args: { path: text() } },
          { type: "tool_result", ...tool, ok: true, result: text(), diff: `+${text()}` },
        ],
        [{ type: "minutes", text: text() }],
        [{ type: "session_renamed", title: text() }],
      ]),
    );
  }
  return drafts;
}

describe("the index and the logs", () => {
  test("[H130] for random sessions and searches the index finds exactly what reading every log finds, also after it was lost or damaged half way", async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = createRandom(seed);
    const dataDir = newDir();
    const ids = Array.from({ length: 6 }, (_, number) => sessionNumber(number));
    for (let round = 0; round < 4; round += 1) {
      for (const sessionId of ids) {
        const drafts = randomDrafts(random);
        const isNew = round === 0;
        if (isNew || random() < 0.5)
          await writeSession({ dataDir, sessionId, drafts: isNew ? drafts : drafts.slice(1) });
      }
      if (round === 2) rmSync(indexPath(dataDir));
      if (round === 3) damage(indexPath(dataDir), random);
      for (let at = 0; at < 15; at += 1)
        await compare(dataDir, ids, randomQuery(random), `seed ${seed}, round ${round}`);
    }
  });

  function randomQuery(random: () => number): LinearQuery {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    return {
      words: Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(VOCABULARY)),
      ...(random() < 0.2 ? { member: "ada" } : {}),
      ...(random() < 0.2 ? { tool: "bash" } : {}),
      ...(random() < 0.2 ? { sinceTs: 1_700_000_020_000 } : {}),
      ...(random() < 0.2 ? { sessionId: sessionNumber(Math.floor(random() * 6)) } : {}),
    };
  }

  async function compare(dataDir: string, ids: readonly string[], query: LinearQuery, where: string): Promise<void> {
    const { words, ...rest } = query;
    const expected = await linearSearch(dataDir, ids, query);
    const { hits, hasMore, isComplete } = await search(dataDir, { ...rest, words: words.join(" "), limit: 200 });
    const ours = hits.map(({ sessionId, eventSeq }) => `${sessionId} ${eventSeq}`).sort();
    expect(isComplete, where).toBe(true);
    if (!hasMore) expect(ours, `${where}, ${JSON.stringify(query)}`).toEqual(expected);
    else
      expect(
        ours.filter((one) => !expected.includes(one)),
        where,
      ).toEqual([]);
  }

  /** Overwritten bytes, or a truncated file. */
  function damage(file: string, random: () => number): void {
    const { size } = statSync(file);
    if (random() < 0.5) return truncateSync(file, Math.floor(size / 2));
    const fd = openSync(file, "r+");
    writeSync(fd, Buffer.alloc(8192, 0x5a), 0, 8192, 4096);
  }

  test("a search returns the newest first with position and line of each match, and reports when there are more", async () => {
    const dataDir = newDir();
    await writeSession({
      dataDir,
      sessionId: FIRST,
      drafts: [created("Old", "/there"), asked("one parser"), turnBegins("t"), said("t", "the parser is here")],
    });
    await writeSession({
      dataDir,
      sessionId: sessionNumber(2),
      ts: 1_800_000_000_000,
      drafts: [created("New"), asked("a parser"), { type: "session_renamed", title: "Newer" }],
    });
    const { hits, hasMore } = await search(dataDir, { words: "parser", limit: 2 });
    expect([hasMore, hits]).toEqual([
      true,
      [
        {
          sessionId: sessionNumber(2),
          title: "Newer",
          cwd: "/project",
          seq: 2,
          eventSeq: 2,
          ts: 1_800_000_002_000,
          kind: "user",
          messageId: "m1",
          snippet: "a parser",
          marks: [[2, 8]],
        },
        {
          sessionId: FIRST,
          title: "Old",
          cwd: "/there",
          seq: 3,
          eventSeq: 4,
          ts: 1_700_000_004_000,
          kind: "text",
          member: "ada",
          turnId: "t",
          snippet: "the parser is here",
          marks: [[4, 10]],
        },
      ],
    ]);
    expect((await search(dataDir, { words: "parser", cwd: "/there" })).hits.length).toBe(2);
    expect((await search(dataDir, { words: "parser", cwd: "/nowhere" })).hits).toEqual([]);
    expect((await search(dataDir, { words: "parser", sinceTs: 1_750_000_000_000 })).hits.length).toBe(1);
  });

  test("indexing a session continues where it stopped, including the output of a call that was open then", async () => {
    const dataDir = newDir();
    const tool = { turnId: "t", member: "ada", toolCallId: "c" };
    const opening: EventDraft[] = [
      created("T"),
      turnBegins("t"),
      { type: "tool_call_start", ...tool, name: "bash", args: {} },
      { type: "tool_output_delta", ...tool, text: "compiling zebra" },
    ];
    await writeSession({ dataDir, sessionId: FIRST, drafts: opening });
    expect(await findSnippets(dataDir, "zebra")).toEqual([]);
    await writeSession({
      dataDir,
      sessionId: FIRST,
      drafts: [{ type: "tool_result", ...tool, ok: true, result: "done" }],
    });
    const { hits } = await search(dataDir, { words: "zebra", tool: "bash" });
    expect(hits.map(({ seq, eventSeq, snippet, tool: name }) => [seq, eventSeq, snippet, name])).toEqual([
      [2, 5, "compiling zebra done", "bash"],
    ]);
  });

  test("a session whose log is gone is not found, and its rows are deleted; a restored one is found again", async () => {
    const dataDir = newDir();
    await oneSession(dataDir);
    await oneSession(dataDir, "another parser", sessionNumber(2));
    expect((await findSnippets(dataDir, "parser")).length).toBe(2);
    const log = path.join(dataDir, "logs", `${FIRST}.jsonl`);
    rmSync(log);
    expect(await findSnippets(dataDir, "parser")).toEqual(["another parser"]);
    expect(rowsOf(dataDir)).toEqual({ entry: 3, word: 3, session: 1 });
    await oneSession(dataDir, "the parser is back");
    expect((await findSnippets(dataDir, "parser")).sort()).toEqual(["another parser", "the parser is back"]);
  });

  test("after a power cut removed the end of a log, the index reads the session again", async () => {
    const dataDir = newDir();
    await oneSession(dataDir, "lost words");
    expect(await findSnippets(dataDir, "lost")).toEqual(["lost words"]);
    const file = path.join(dataDir, "logs", `${FIRST}.jsonl`);
    const text = await import("node:fs/promises").then(({ readFile }) => readFile(file, "utf8"));
    truncateSync(file, text.trimEnd().lastIndexOf("\n") + 1);
    await writeSession({ dataDir, sessionId: FIRST, drafts: [said("t", "other words"), said("t", "more words")] });
    expect([await findSnippets(dataDir, "lost"), (await findSnippets(dataDir, "words")).sort()]).toEqual([
      [],
      ["more words", "other words"],
    ]);
  });

  test("an unreadable log hides no other session", async () => {
    const dataDir = newDir();
    await oneSession(dataDir);
    const other = path.join(dataDir, "logs", `${sessionNumber(2)}.jsonl`);
    writeFileSync(other, `${JSON.stringify({ seq: 1, type: "session_created", format: 99 })}\n`);
    const answer = await search(dataDir, { words: "parser" });
    expect([answer.hits.length, answer.isComplete]).toEqual([1, true]);
  });

  test("a search that must not wait returns the indexed matches and the number of sessions left", async () => {
    const dataDir = newDir();
    for (let number = 1; number <= 3; number += 1) await oneSession(dataDir, "parser", sessionNumber(number));
    const query = { words: "parser" };
    expect(await searchDataDir({ dataDir, query, patienceMs: 0 })).toEqual({
      hits: [],
      hasMore: false,
      isComplete: false,
      sessionsLeft: 3,
    });
    expect((await search(dataDir, query)).hits.length).toBe(3);
  });

  test("many events in one second are all found, in order", async () => {
    const dataDir = newDir();
    const log = await openFileLog({ dataDir, sessionId: FIRST, clock: stoppedClock });
    await log.append([created("T"), ...Array.from({ length: 2_500 }, (_, at) => asked(`same second ${at}`, `m${at}`))])
      .committed;
    await log.close();
    const { hits } = await search(dataDir, { words: "same", limit: 200 });
    expect(hits.map(({ eventSeq }) => eventSeq)).toEqual(Array.from({ length: 200 }, (_, at) => 2_501 - at));
    expect(await findSnippets(dataDir, '"second 7"')).toEqual(["same second 7"]);
  });
});

describe("the file of the index", () => {
  test("only the user can access it, and no temporary files remain", async () => {
    const dataDir = newDir();
    await oneSession(dataDir);
    await findSnippets(dataDir, "parser");
    expect(readdirSync(dataDir).sort()).toEqual(["index.sqlite", "logs"]);
    expect(statSync(indexPath(dataDir)).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["an empty file", (file: string) => writeFileSync(file, "")],
    ["a file of another kind", (file: string) => writeFileSync(file, "no database at all\n".repeat(1000))],
    ["an index of an older version", (file: string) => setVersion(file, SCHEMA_VERSION - 1)],
    ["a torn file", (file: string) => truncateSync(file, 5000)],
    ["a journal without its file", (file: string) => (writeFileSync(`${file}-wal`, "x".repeat(5000)), rmSync(file))],
  ])("%s is made again", async (_what, spoil) => {
    const dataDir = newDir();
    await oneSession(dataDir);
    expect(await findSnippets(dataDir, "parser")).toHaveLength(1);
    spoil(indexPath(dataDir));
    expect(await findSnippets(dataDir, "parser")).toHaveLength(1);
  });

  test("an index of a newer version is left alone, and the search reports why it cannot answer", async () => {
    const dataDir = newDir();
    await oneSession(dataDir);
    await findSnippets(dataDir, "parser");
    setVersion(indexPath(dataDir), SCHEMA_VERSION + 1);
    await expect(findSnippets(dataDir, "parser")).rejects.toMatchObject({ code: "version_mismatch" });
    expect(versionIn(indexPath(dataDir))).toBe(SCHEMA_VERSION + 1);
  });
});

const stoppedClock = { now: () => 1_700_000_000_000, monotonic: () => performance.now(), after: afterReal };

function afterReal(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function withDatabase<T>(file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function setVersion(file: string, version: number): void {
  withDatabase(file, (database) => database.exec(`PRAGMA user_version = ${version}`));
}

function versionIn(file: string): unknown {
  return withDatabase(file, (database) => database.prepare("PRAGMA user_version").get()?.["user_version"]);
}

function rowsOf(dataDir: string): Record<string, unknown> {
  return withDatabase(indexPath(dataDir), (database) => ({
    entry: database.prepare("SELECT count(*) AS n FROM entry").get()?.["n"],
    word: database.prepare("SELECT count(*) AS n FROM word").get()?.["n"],
    session: database.prepare("SELECT count(*) AS n FROM session").get()?.["n"],
  }));
}

test("retracted text is not found, whether it was indexed already or not", async () => {
  const dataDir = newDir();
  const back: EventDraft = { type: "text_retracted", turnId: "t", member: "ada", segmentId: "t-s" };
  await writeSession({
    dataDir,
    sessionId: FIRST,
    drafts: [created("A title"), turnBegins("t"), said("t", "a hasty guess"), back, said("t", "a slow guess")],
  });
  expect(await findSnippets(dataDir, "guess")).toEqual([expect.stringContaining("slow")]);
  await writeSession({ dataDir, sessionId: FIRST, drafts: [back, said("t", "the last guess")] });
  expect(await findSnippets(dataDir, "guess")).toEqual([expect.stringContaining("last")]);
});

test(
  "a run of a hundred thousand letters does not hold up the index",
  async () => {
    const dataDir = newDir();
    await oneSession(dataDir, `${"x".repeat(100_000)} takeLock${"A".repeat(100_000)} otter`);
    expect(await findSnippets(dataDir, "take otter")).toHaveLength(1);
  },
  patient(15_000),
);
