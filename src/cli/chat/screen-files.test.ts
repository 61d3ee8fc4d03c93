import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DraftStore, HistoryStore } from "../../tui/input/prompt.ts";
import { DRAFT_BYTES_MAX } from "./draft-files.ts";
import { HISTORY_BYTES_MAX, HISTORY_LINE_BYTES_MAX, HISTORY_LINES_MAX } from "./history-file.ts";
import { createDraftStore, createHistoryStore, KEYS_FILE_BYTES_MAX, loadKeysFile } from "./screen-files.ts";

const SESSION = "01JCQ3V5T8W0000000000000AB";

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), "roundtable-screen-"));
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("history", () => {
  const fileIn = (directory: string) => join(directory, "input_history.txt");

  test("entries are read back oldest first, with line breaks and quotes, from a file private to the user", async () => {
    const directory = newDirectory();
    const store = createHistoryStore(directory) satisfies HistoryStore;
    expect(await store.load()).toEqual([]);
    for (const text of ["one", 'two\nlines "quoted"', "drei 🎉\u001b[0m"]) store.add(text);
    expect(await createHistoryStore(directory).load()).toEqual(["one", 'two\nlines "quoted"', "drei 🎉\u001b[0m"]);
    expect(modeOf(fileIn(directory))).toBe(0o600);
    expect(readFileSync(fileIn(directory), "utf8").split("\n")).toHaveLength(4);
  });

  test("a file that others can read is made private", () => {
    const directory = newDirectory();
    writeFileSync(fileIn(directory), '"old"\n');
    chmodSync(fileIn(directory), 0o644);
    createHistoryStore(directory).add("new");
    expect(modeOf(fileIn(directory))).toBe(0o600);
  });

  test("damaged lines are skipped, and nothing is appended to an incomplete line", async () => {
    const directory = newDirectory();
    writeFileSync(fileIn(directory), '"good"\nnot json\n42\n""\n"half a li');
    const store = createHistoryStore(directory);
    store.add("after");
    expect(await store.load()).toEqual(["good", "after"]);
  });

  test("screens that write at the same time lose nothing", async () => {
    const directory = newDirectory();
    const screens = Array.from({ length: 4 }, () => createHistoryStore(directory));
    for (let round = 0; round < 50; round++) for (const [at, store] of screens.entries()) store.add(`${at}-${round}`);
    expect(await screens[0]?.load()).toHaveLength(200);
  });

  test("beyond 10,000 lines the oldest are dropped, and entries written meanwhile stay", async () => {
    const directory = newDirectory();
    const lines = Array.from({ length: HISTORY_LINES_MAX + 5 }, (_, at) => `"entry ${at}"\n`);
    writeFileSync(fileIn(directory), lines.join(""), { mode: 0o600 });
    const [trimming, other] = [createHistoryStore(directory), createHistoryStore(directory)];
    expect(await trimming.load()).toHaveLength(HISTORY_LINES_MAX);
    other.add("meanwhile");
    await trimming.settled();
    const left = await createHistoryStore(directory).load();
    expect({ first: left[0], last: left.at(-1), count: left.length, files: readdirSync(directory) }).toEqual({
      first: "entry 2505",
      last: "meanwhile",
      count: 7_501,
      files: ["input_history.txt"],
    });
  });

  test("beyond 2 MB the oldest are dropped, also while the screen is open", async () => {
    const directory = newDirectory();
    const store = createHistoryStore(directory);
    const text = "x".repeat(100_000);
    for (let at = 0; at < 30; at++) {
      store.add(`${at} ${text}`);
      await store.settled();
    }
    expect(statSync(fileIn(directory)).size).toBeLessThanOrEqual(HISTORY_BYTES_MAX);
    expect((await store.load()).at(-1)).toBe(`29 ${text}`);
  });

  test("a failed write is reported once and does not throw; oversized text is not written, with a warning", () => {
    const said: string[] = [];
    const missing = join(newDirectory(), "gone");
    const store = createHistoryStore(missing, { warn: (text) => void said.push(text) });
    store.add("a");
    store.add("b");
    store.add("x".repeat(HISTORY_LINE_BYTES_MAX));
    expect(said).toEqual([
      `The history ${fileIn(missing)} cannot be written (ENOENT); it is remembered until you quit.`,
      "This text is too long for the history file; it is remembered until you quit.",
    ]);
  });
});

describe("drafts", () => {
  const fileOf = (directory: string, name: string) => join(directory, "drafts", `${name}.txt`);

  test("each session has one private draft file, which is deleted when the draft is empty", async () => {
    const directory = newDirectory();
    const store = createDraftStore(directory) satisfies DraftStore;
    store.save(SESSION, "half\na thought");
    store.save(undefined, "new one");
    await store.flush();
    expect(readdirSync(join(directory, "drafts")).sort()).toEqual([`${SESSION}.txt`, "new.txt"]);
    expect([modeOf(join(directory, "drafts")), modeOf(fileOf(directory, SESSION))]).toEqual([0o700, 0o600]);
    const later = createDraftStore(directory);
    expect([await later.load(SESSION), await later.load(undefined)]).toEqual([
      { text: "half\na thought", pastes: [] },
      { text: "new one", pastes: [] },
    ]);
    later.save(SESSION, "");
    await later.flush();
    expect(existsSync(fileOf(directory, SESSION))).toBe(false);
  });

  test("a saved draft can be loaded immediately, and the newest of several wins", async () => {
    const directory = newDirectory();
    const store = createDraftStore(directory);
    for (let at = 0; at < 100; at++) store.save(SESSION, `text ${at}`);
    expect((await store.load(SESSION)).text).toBe("text 99");
    await store.flush();
    expect(readFileSync(fileOf(directory, SESSION), "utf8")).toBe("text 99");
  });

  test("pasted ranges are stored with the draft and used only for the same text", async () => {
    const directory = newDirectory();
    const beside = join(directory, "drafts", `${SESSION}.pastes.json`);
    const store = createDraftStore(directory);
    const load = () => createDraftStore(directory).load(SESSION);
    const draft = { text: "see AAA and BBB", pastes: [[4, 7] as const, [12, 15] as const] };
    store.save(SESSION, draft.text, draft.pastes);
    await store.flush();
    expect([await load(), modeOf(beside)]).toEqual([draft, 0o600]);
    for (const wrong of ["", "{", '{"chars":15}', '{"chars":15,"pastes":[[7,4]]}', '{"chars":15,"pastes":[[4,16]]}']) {
      writeFileSync(beside, wrong);
      expect(await load(), wrong).toEqual({ text: draft.text, pastes: [] });
    }
    writeFileSync(beside, '{"chars":15,"pastes":[[4,7]]}');
    writeFileSync(fileOf(directory, SESSION), "another text");
    expect(await load()).toEqual({ text: "another text", pastes: [] });
    store.save(SESSION, "typed");
    await store.flush();
    expect(existsSync(beside)).toBe(false);
  });

  test("a name that is not a session id has no draft file", async () => {
    const directory = newDirectory();
    const store = createDraftStore(directory);
    for (const name of ["../evil", "", "new/../../x", "..", SESSION.toLowerCase()]) store.save(name, "x");
    await store.flush();
    expect([readdirSync(directory), (await store.load("../evil")).text]).toEqual([[], ""]);
  });

  test("a failing disk is reported once, and saving is retried", async () => {
    const directory = newDirectory();
    writeFileSync(join(directory, "drafts"), "in the way");
    const said: string[] = [];
    const store = createDraftStore(directory, { warn: (text) => void said.push(text) });
    for (const text of ["a", "ab", "x".repeat(DRAFT_BYTES_MAX + 1)]) {
      store.save(SESSION, text);
      await store.flush();
    }
    expect(said).toEqual([
      `Cannot save the draft to ${fileOf(directory, SESSION)} (EEXIST); it is lost when you quit.`,
    ]);
  });
});

describe("keys", () => {
  test("the keys file is read when it exists, and its errors are reported", () => {
    const directory = newDirectory();
    const path = join(directory, "keys.jsonc");
    expect(loadKeysFile(directory)).toEqual({ path, text: "" });
    writeFileSync(path, "{}");
    expect(loadKeysFile(directory)).toEqual({ path, text: "{}" });
    appendFileSync(path, " ".repeat(KEYS_FILE_BYTES_MAX));
    expect(loadKeysFile(directory)).toEqual({
      path,
      text: "",
      problem: `${path} has ${KEYS_FILE_BYTES_MAX + 2} bytes; at most ${KEYS_FILE_BYTES_MAX} are allowed; using the default keys`,
    });
    const other = newDirectory();
    mkdirSync(join(other, "keys.jsonc"));
    expect(loadKeysFile(other).problem).toBe(`${join(other, "keys.jsonc")} is not a file; using the default keys`);
  });
});
