/** Mirroring between a session and a thread tree, in both directions. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { SessionSummary } from "../../../../src/protocol/index.ts";
import { until } from "../../../../test/host/open-host.ts";
import {
  newProject,
  openMirrored,
  openMirrorHost,
  type MirroredSession,
  type MirroredOptions,
} from "./mirrored-session.ts";
import { readJson, readThread } from "./thread-reader.ts";
import { streamAsKingdom, writeAsKingdom } from "./kingdom-writer.ts";

const open: MirroredSession[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((table) => table.close()));
});

async function table(options?: MirroredOptions): Promise<MirroredSession> {
  const opened = await openMirrored(options);
  open.push(opened);
  return opened;
}

const PID = /\[pid \d+\]/;
const said = (text: string) => text.replace(PID, "[pid]");

/** Messages as kingdom's programs show them, in order. */
function shown(dir: string): string[] {
  return readThread(dir).messages.map(({ number, from, to, body }) => `${number} ${from} > ${to}: ${said(body)}`);
}

test("a session in a new tree becomes a thread that a reader of the format accepts, byte by byte", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("Hello  \nthere", ["claude"]);
  await at.sees("two files", () => at.of("mirrored").length === 2);
  await at.send("And you?", ["a_b"]);
  await at.sees("four files", () => at.of("mirrored").length === 4);
  const thread = readThread(dir);
  expect({ id: thread.id, members: thread.members, streams: thread.streams }).toEqual({
    id: path.basename(dir),
    members: ["king", "claude", "a-b"],
    streams: [],
  });
  expect(shown(dir)).toEqual([
    "1 king > claude: Hello\nthere",
    "2 claude > king: answered [pid]",
    "3 king > a-b: And you?",
    "4 a-b > king: answered [pid]",
  ]);
  const kd = path.join(at.project, ".kd");
  expect(readFileSync(path.join(kd, "current"), "utf8")).toBe("main\n");
  expect(readJson(path.join(kd, "branches", "main", "state.json"))).toEqual({
    branch: "main",
    current_thread: path.basename(dir),
  });
});

test("each file is recorded by one event with its number and hash", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("one", ["claude"]);
  await at.sees("two files", () => at.of("mirrored").length === 2);
  const [user] = at.of("user_message");
  const [end] = at.of("turn_end");
  const hashes = readdirSync(dir)
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) =>
      createHash("sha256")
        .update(readFileSync(path.join(dir, file)))
        .digest("hex"),
    );
  expect(at.of("mirrored").map(({ eventSeq, number, hash }) => ({ eventSeq, number, hash }))).toEqual([
    { eventSeq: user?.seq, number: 1, hash: hashes[0] },
    { eventSeq: end?.seq, number: 2, hash: hashes[1] },
  ]);
});

test("a member's stream can be read until its message replaces it", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("hold", ["claude"]);
  const stream = path.join(dir, ".stream-claude.jsonl");
  await at.sees(
    "the stream",
    () => existsSync(stream) && readThread(dir, { isLive: true }).streams[0]?.text === "holding ",
  );
  const session = path.join(at.project, ".kd", "branches", "main", "sessions", "claude.json");
  await at.sees("it to be at work", () => existsSync(session) && readJson(session)["status"] === "working");
  expect(readJson(session)).toMatchObject({ name: "claude", pid: process.pid, thread: path.basename(dir) });
  await at.client.command(at.sessionId, { type: "interrupt", scope: "all" });
  await at.sees("its message", () => at.of("mirrored").length === 2);
  await at.sees("no stream", () => !existsSync(stream));
  expect(shown(dir)[1]).toBe("2 claude > king: holding\n\n*[Interrupted — response may be incomplete]*");
  await at.sees("it to be idle", () => readJson(session)["status"] === "idle");
  expect(readJson(session)).not.toHaveProperty("pid");
});

test("a message of another program appears here, goes to the members that program does not ask, and is not written back", async () => {
  const at = await table();
  const dir = await at.dir();
  streamAsKingdom(dir, "claude", "I th");
  const file = writeAsKingdom(dir, "king", "all", "Who is there?");
  await at.sees("a_b to answer", () => at.of("turn_end").some(({ member }) => member === "a_b"));
  const [message] = at.of("user_message");
  expect({ text: message?.text, to: message?.to, origin: message?.origin }).toEqual({
    text: "Who is there?",
    to: ["a_b"],
    origin: `kd:${path.basename(dir)}/${file}`,
  });
  streamAsKingdom(dir, "claude", "ink so.");
  await at.sees("the stream", () => textOf(at, "claude") === "I think so.");
  const spoken = at.of("turn_start").find(({ member }) => member === "claude");
  expect({ cause: spoken?.cause, origin: spoken?.origin }).toEqual({
    cause: "imported",
    origin: `kd:${path.basename(dir)}/.stream-claude.jsonl`,
  });
  await at.sees("a_b's message", () => readdirSync(dir).some((name) => name.endsWith("-a-b.md")));
  writeAsKingdom(dir, "claude", "king", "I think so, yes.");
  await at.sees("the end of the turn", () => at.of("turn_end").some(({ member }) => member === "claude"));
  const done = at.of("text_done").findLast(({ member }) => member === "claude");
  expect(done?.text).toBe("I think so, yes.");
  await at.sees("both to be tied", () => at.of("mirrored").length === 2);
  expect(shown(dir)).toEqual([
    "1 king > all: Who is there?",
    "2 a-b > king: answered [pid]",
    "3 claude > king: I think so, yes.",
  ]);
  expect(existsSync(path.join(dir, ".stream-claude.jsonl"))).toBe(true);
});

function textOf(at: MirroredSession, member: string): string {
  return at
    .of("text_delta")
    .filter((event) => event.member === member)
    .map(({ text }) => text)
    .join("");
}

test("a message that the other program gives to no member goes to everyone here", async () => {
  const at = await table();
  const dir = await at.dir();
  writeAsKingdom(dir, "king", "all", "Anybody?");
  await at.sees("both to answer", () => new Set(at.of("turn_end").map(({ member }) => member)).size === 2);
  expect(at.of("user_message")[0]).toMatchObject({ toAll: true, to: ["claude", "a_b"] });
});

test("a slowly written message is read in full", async () => {
  const at = await table();
  const dir = await at.dir();
  const file = path.join(dir, "0001-codex.md");
  writeFileSync(file, "---\nfrom: codex\n");
  await at.sees("the first half to be seen", () => existsSync(file));
  appendFileSync(file, "to: king\n---\n\nA whole sen");
  appendFileSync(file, "tence.\n");
  await at.sees("the turn", () => at.of("turn_end").length === 1);
  expect(at.of("text_done").map(({ text }) => text)).toEqual(["A whole sentence."]);
});

test("a session mirrored later writes its whole history, and one no longer mirrored writes nothing", async () => {
  const at = await table({ isMirrored: false });
  await at.send("before", ["claude"]);
  await at.sees("the answer", () => at.of("turn_end").length === 1);
  await at.client.command(at.sessionId, { type: "set_settings", settings: { mirror: {} } });
  const dir = await at.dir();
  await at.sees("two files", () => at.of("mirrored").length === 2);
  expect(shown(dir)).toEqual(["1 king > claude: before", "2 claude > king: answered [pid]"]);
  await at.client.command(at.sessionId, { type: "set_settings", settings: { mirror: null } });
  await at.send("after", ["claude"]);
  await at.sees("the answer", () => at.of("turn_end").length === 2);
  expect(readThread(dir).messages).toHaveLength(2);
});

test("existing messages are shown in order and start no turn", async () => {
  const first = await table();
  const dir = await first.dir();
  await first.send("hi", ["claude"]);
  await first.sees("two files", () => first.of("mirrored").length === 2);
  const { dataDir, project, sessionId } = first;
  await first.close();
  open.splice(open.indexOf(first), 1);
  writeAsKingdom(dir, "king", "all", "While you were away");
  writeAsKingdom(dir, "codex", "king", "*Error: Timeout after 600s*");
  const again = await table({ dataDir, project, sessionId });
  await again.sees("both", () => again.of("turn_end").length === 2);
  expect(again.of("user_message").map(({ text, to }) => ({ text, to }))).toEqual([
    { text: "hi", to: ["claude"] },
    { text: "While you were away", to: [] },
  ]);
  expect(again.of("turn_end")[1]).toMatchObject({
    member: "codex",
    outcome: "timed_out",
    error: { code: "foreign", message: "Timeout after 600s" },
    copied: true,
  });
});

test("a host that resumes mirrors reads new messages before a client opens the session", async () => {
  const first = await table();
  const dir = await first.dir();
  const { dataDir, sessionId } = first;
  await first.close();
  open.splice(open.indexOf(first), 1);
  const host = await openMirrorHost(dataDir);
  try {
    expect(host.isNeeded()).toBe(false);
    await host.resumeMirrors();
    writeAsKingdom(dir, "king", "all", "Is anybody there?");
    let told: readonly SessionSummary[] = [];
    const stop = host.followSessions(({ changed }) => void (told = changed));
    await until("the message", () => told.some((one) => one.sessionId === sessionId && one.messages > 0));
    stop();
    expect(told).toMatchObject([{ sessionId, mirrored: true }]);
    expect(host.isNeeded()).toBe(true);
  } finally {
    await host.close();
  }
});

test("without flock the shared files are left alone, with a warning", async () => {
  const before = process.env["PATH"];
  process.env["PATH"] = mkdtempSync(path.join(tmpdir(), "rt-nothing-"));
  try {
    const at = await table();
    const dir = await at.dir();
    await at.send("one", ["claude"]);
    await at.sees("two files", () => at.of("mirrored").length === 2);
    await at.sees("a warning", () => at.of("warning").some(({ message }) => message.includes("flock program")));
    expect(readJson(path.join(path.dirname(path.dirname(dir)), "state.json"))).toEqual({ branch: "main" });
  } finally {
    process.env["PATH"] = before;
  }
});

test("other programs' lock, unknown keys and configuration are respected", async () => {
  const project = newProject();
  const branch = path.join(project, ".kd", "branches", "feature-x");
  mkdirSync(branch, { recursive: true });
  writeFileSync(path.join(project, ".kd", "current"), "Feature/X\n");
  writeFileSync(path.join(project, ".kd", "config.json"), "{}\n");
  writeFileSync(path.join(branch, "state.json"), '{"design_approved": true}\n');
  const holder = spawn("flock", [path.join(branch, ".state.json.lock"), "cat"], { stdio: ["pipe", "pipe", "ignore"] });
  holder.stdin.write("x");
  await once(holder.stdout, "data");
  const at = await table({ project });
  const dir = await at.dir();
  expect(path.relative(branch, dir)).toMatch(/^threads.council-[0-9a-f]{4}$/);
  expect(readFileSync(path.join(branch, "state.json"), "utf8")).toBe('{"design_approved": true}\n');
  holder.stdin.end();
  await at.sees("the thread to be current", () =>
    readFileSync(path.join(branch, "state.json"), "utf8").includes("council-"),
  );
  expect(readJson(path.join(branch, "state.json"))).toEqual({
    branch: "Feature/X",
    current_thread: path.basename(dir),
    design_approved: true,
  });
  expect(readFileSync(path.join(project, ".kd", "config.json"), "utf8")).toBe("{}\n");
});

test("damage in a thread is reported, readable messages are shown, and the files stay as they are", async () => {
  const at = await table();
  const dir = await at.dir();
  writeFileSync(path.join(dir, "0001-codex.md"), "no front matter at all");
  mkdirSync(path.join(dir, "0002-codex.md"));
  writeFileSync(path.join(dir, "0003-codex.md"), Buffer.from([0x2d, 0x2d, 0xff, 0xfe]));
  writeFileSync(path.join(dir, "notes.txt"), "not ours");
  await at.sees("all three", () => at.of("warning").length === 3);
  const thread = path.basename(dir);
  expect(at.of("warning").map(({ message }) => message)).toEqual([
    `${thread}/0001-codex.md is damaged: it does not begin with front matter.`,
    `${thread}/0002-codex.md cannot be read (it is not a file) and is not shown.`,
    `${thread}/0003-codex.md is damaged: it is not UTF-8; what could not be read is marked.`,
  ]);
  expect(at.of("text_done").map(({ text }) => text)).toEqual(["no front matter at all", "--\ufffd\ufffd"]);
  expect(readFileSync(path.join(dir, "0001-codex.md"), "utf8")).toBe("no front matter at all");
});

test.skipIf(process.getuid?.() === 0)(
  "a read-only tree is a one-sentence warning; the session continues and catches up",
  async () => {
    const project = newProject();
    mkdirSync(path.join(project, ".kd"), { mode: 0o500 });
    const at = await table({ project });
    await at.send("one", ["claude"]);
    await at.sees("the answer", () => at.of("turn_end").length === 1);
    await at.sees("a warning", () => at.of("warning").length === 1);
    expect(at.of("warning")[0]?.message).toContain("cannot be written: EACCES");
  },
);

test("a tree that is not a directory is a one-sentence warning, and the session catches up once it is one", async () => {
  const project = newProject();
  writeFileSync(path.join(project, ".kd"), "I am a file");
  const at = await table({ project });
  await at.send("one", ["claude"]);
  await at.sees("the answer", () => at.of("turn_end").length === 1);
  await at.sees("a warning", () => at.of("warning").length === 1);
  expect(at.of("warning")[0]?.message).toContain("cannot be written");
  unlinkSync(path.join(project, ".kd"));
  await at.sees("two files", () => at.of("mirrored").length === 2);
  expect(shown(await at.dir())).toHaveLength(2);
});

test("a link that leads out of the tree is not followed", async () => {
  const project = newProject();
  const elsewhere = mkdtempSync(path.join(tmpdir(), "rt-elsewhere-"));
  mkdirSync(path.join(project, ".kd", "branches", "main"), { recursive: true });
  symlinkSync(elsewhere, path.join(project, ".kd", "branches", "main", "threads"));
  const at = await table({ project });
  await at.sees("a warning", () => at.of("warning").length === 1);
  expect(at.of("warning")[0]?.message).toContain("leads outside");
  expect(readdirSync(elsewhere).flatMap((dir) => readdirSync(path.join(elsewhere, dir)))).toEqual([]);
});

test("when another program takes the number of our last message, ours moves behind it and the log records it", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("hi", ["claude"]);
  await at.sees("two files", () => at.of("mirrored").length === 2);
  const text = "---\nfrom: codex\nto: king\ntimestamp: 2026-11-15T00:00:00Z\n---\n\nMe too.\n";
  writeFileSync(path.join(dir, "0002-codex.md"), text);
  await at.sees("the new number", () => at.of("mirrored").length === 3);
  await at.sees("the other's turn", () => at.of("turn_end").some(({ member }) => member === "codex"));
  expect(at.of("mirrored").map(({ eventSeq, number }) => [eventSeq, number])).toEqual([
    [at.of("user_message")[0]?.seq, 1],
    [at.of("turn_end")[0]?.seq, 2],
    [at.of("turn_end")[0]?.seq, 3],
  ]);
  expect(shown(dir)).toEqual(["1 king > claude: hi", "2 codex > king: Me too.", "3 claude > king: answered [pid]"]);
});

test("a file that takes the number of an old message of ours is shown, and ours stays in its place", async () => {
  const at = await table();
  const dir = await at.dir();
  await at.send("hi", ["claude"]);
  await at.sees("two files", () => at.of("mirrored").length === 2);
  const old = Date.now() / 1000 - 60;
  utimesSync(path.join(dir, "0001-king.md"), old, old);
  const text = "---\nfrom: codex\nto: king\ntimestamp: 2026-11-15T00:00:00Z\n---\n\nMe too.\n";
  writeFileSync(path.join(dir, "0001-codex.md"), text);
  await at.sees("the other's turn", () => at.of("turn_end").some(({ member }) => member === "codex"));
  await at.send("more", ["claude"]);
  await at.sees("two more files", () => at.of("mirrored").length === 4);
  expect(shown(dir).slice(0, 4)).toEqual([
    "1 codex > king: Me too.",
    "1 king > claude: hi",
    "2 claude > king: answered [pid]",
    "3 king > claude: more",
  ]);
});
