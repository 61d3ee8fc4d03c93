/**
 * Checks a mirrored session after a crash, before and after the next process continues it, with a reader
 * that knows only how the files are described and by the raw events of the log.
 */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { hasSession } from "../../../../src/log/index.ts";
import type { SessionEvent } from "../../../../src/protocol/index.ts";
import { writeAsKingdom } from "./kingdom-writer.ts";
import type { LifeDirectories, Promised } from "./life-directories.ts";
import { openMirroredSession, type OpenMirrored } from "./open-mirror.ts";
import { readJson, readThread, type ReadThread } from "./thread-reader.ts";
import { patient } from "../../../../test/patience.ts";

const AFTERWARDS = "And after that?";
const REST_MS = patient(5_000);
const MEANWHILE = "Written while nobody was there.";

interface Kept {
  session?: string;
  dir?: string;
  readonly said: string[];
  readonly files: Map<string, string>;
}

export async function judge(directories: LifeDirectories): Promise<string[]> {
  const kept = keptPromises(directories.promises);
  // Killed before a session was announced.
  if (kept.session === undefined || !hasSession(directories.dataDir, kept.session)) return [];
  const wrong = asOthersFindIt(directories, kept);
  if (kept.dir !== undefined && existsSync(path.join(kept.dir, "thread.json"))) {
    const file = writeAsKingdom(kept.dir, "codex", "king", MEANWHILE);
    kept.files.set(file, readFileSync(path.join(kept.dir, file), "utf8"));
  }
  const { dir, events } = await goOn(directories, kept);
  await toRest(() => asReadersFindIt(directories.project, dir, kept).length === 0);
  wrong.push(...asReadersFindIt(directories.project, dir, kept), ...inTheSession(events, kept));
  const thread = attempt(wrong, () => readThread(dir));
  if (thread !== undefined) wrong.push(...fileByFile(thread, dir, events));
  return wrong;
}

/** A mirror closes in bounded time, even if a slow machine is still busy. */
async function toRest(isAtRest: () => boolean): Promise<void> {
  const deadline = performance.now() + REST_MS;
  while (!isAtRest() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}

function keptPromises(file: string): Kept {
  const kept: Kept = { said: [], files: new Map() };
  if (!existsSync(file)) return kept;
  for (const line of readFileSync(file, "utf8").split("\n").slice(0, -1)) {
    const one = JSON.parse(line) as Promised;
    if ("session" in one) kept.session = one.session;
    else if ("dir" in one) kept.dir = one.dir;
    else if ("said" in one) kept.said.push(one.said);
    else kept.files.set(one.file, one.bytes);
  }
  return kept;
}

function attempt<T>(wrong: string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    wrong.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** Right after the crash: every file under a name that is read is complete, and nobody is locked out. */
function asOthersFindIt({ project }: LifeDirectories, { dir, files }: Kept): string[] {
  const wrong: string[] = [];
  const branch = path.join(project, ".kd", "branches", "main");
  const current = path.join(project, ".kd", "current");
  if (existsSync(current) && readFileSync(current, "utf8") !== "main\n") wrong.push("current is torn");
  for (const file of jsonFilesIn(branch)) attempt(wrong, () => readJson(file));
  if (dir === undefined) return wrong;
  if (existsSync(path.join(dir, "thread.json"))) attempt(wrong, () => readThread(dir, { isLive: true }));
  for (const [file, bytes] of files)
    if (readFileSync(path.join(dir, file), "utf8") !== bytes) wrong.push(`${file} of the other program was changed`);
  return wrong;
}

function jsonFilesIn(branch: string): string[] {
  return [path.join(branch, "state.json"), ...readdirIfThere(path.join(branch, "sessions"))].filter(
    (file) => path.basename(file).endsWith(".json") && existsSync(file),
  );
}

function readdirIfThere(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir).map((file) => path.join(dir, file)) : [];
}

/** As the next process does: writes what is due, reads what arrived, and continues. */
async function goOn(
  directories: LifeDirectories,
  kept: Kept,
): Promise<{ dir: string; events: readonly SessionEvent[] }> {
  const session = await openMirroredSession(directories, kept.session);
  try {
    if (session.mirror === null && kept.dir !== undefined) {
      const ours = () => readdirSync(kept.dir ?? "").filter((file) => isOurLeftover(file));
      await session.sees("nothing of ours to be left of a mirror that is off", () => ours().length === 0);
      const [thread, branch] = [path.basename(kept.dir), path.basename(path.resolve(kept.dir, "../.."))];
      await session.set({ kd: path.join(directories.project, ".kd"), branch, thread });
    }
    // Not whom a message to hold may still wait for.
    await session.send(AFTERWARDS, "a_b");
    kept.said.push(AFTERWARDS);
    await session.sees("everything to be written", () => unwritten(session).length === 0 && isAnswered(session));
    await session.sees("everything of the other program", () => unheard(session, kept).length === 0);
    await session.sees("nobody to be at work", () =>
      jsonFilesIn(path.join(directories.project, ".kd", "branches", "main")).every(isAtRest),
    );
    const { kd = "", branch = "", thread = "" } = session.mirror ?? {};
    return { dir: path.join(kd, "branches", branch, "threads", thread), events: session.events };
  } finally {
    await session.close();
  }
}

function isAtRest(file: string): boolean {
  return !readFileSync(file, "utf8").includes('"working"');
}

function isOurLeftover(file: string): boolean {
  return file.endsWith(".tmp") || (file.startsWith(".stream-") && file !== ".stream-codex.jsonl");
}

function isAnswered(session: OpenMirrored): boolean {
  const asked = session.of("user_message").find(({ text }) => text === AFTERWARDS)?.seq ?? Infinity;
  return session.of("turn_end").some(({ seq, member }) => member === "a_b" && seq > asked);
}

/** Messages of the log that are in no file. */
function unwritten(session: OpenMirrored): number[] {
  const written = new Set(session.of("mirrored").map(({ eventSeq }) => eventSeq));
  const said = ownEvents(session.events).map(({ seq }) => seq);
  return said.filter((seq) => !written.has(seq));
}

function unheard(session: OpenMirrored, { files }: Kept): string[] {
  const heard = new Set(externalMessages(session.events).map(({ file }) => file));
  return [...files.keys()].filter((file) => !heard.has(file));
}

function startsOf(events: readonly SessionEvent[]) {
  return new Map(events.flatMap((event) => (event.type === "turn_start" ? [[event.turnId, event] as const] : [])));
}

/** Messages and ended turns of this side. */
function ownEvents(events: readonly SessionEvent[]): SessionEvent[] {
  const starts = startsOf(events);
  return events.filter((event) => {
    if (event.type === "user_message") return event.origin === undefined;
    return event.type === "turn_end" && starts.get(event.turnId)?.origin === undefined;
  });
}

interface ExternalMessage {
  readonly file: string;
  readonly text: string;
}

/** Messages of the other program as the session shows them, without replaced ones. */
function externalMessages(events: readonly SessionEvent[]): ExternalMessage[] {
  const starts = startsOf(events);
  const replaced = new Set([...starts.values()].map(({ replaces }) => replaces));
  const textOf = new Map(events.flatMap((one) => (one.type === "text_done" ? [[one.turnId, one.text] as const] : [])));
  const tied = new Map(events.flatMap((one) => (one.type === "mirrored" ? [[one.eventSeq, one.number] as const] : [])));
  return events.flatMap((event): ExternalMessage[] => {
    if (event.type === "user_message" && event.origin !== undefined)
      return [{ file: path.basename(event.origin), text: event.text }];
    const start = event.type === "turn_end" ? starts.get(event.turnId) : undefined;
    if (start?.origin === undefined || replaced.has(start.turnId)) return [];
    const text = textOf.get(start.turnId) ?? "";
    const file = path.basename(start.origin);
    if (!file.startsWith(".stream-")) return [{ file, text }];
    const number = tied.get(event.seq);
    return number === undefined ? [] : [{ file: `${String(number).padStart(4, "0")}-${start.member}.md`, text }];
  });
}

/** Once idle: no unexplained file, nobody marked as working, and a tree that kingdom's programs accept. */
function asReadersFindIt(project: string, dir: string, { files }: Kept): string[] {
  const wrong: string[] = [];
  const kd = path.join(project, ".kd");
  const branch = path.resolve(dir, "../..");
  if (readFileSync(path.join(kd, "current"), "utf8") !== "main\n") wrong.push("current is not main");
  if (!readFileSync(path.join(kd, ".gitignore"), "utf8").endsWith("!config.json\n")) wrong.push(".gitignore is torn");
  const state = attempt(wrong, () => readJson(path.join(branch, "state.json")));
  if (state?.["current_thread"] !== path.basename(dir))
    wrong.push(`state.json names ${String(state?.["current_thread"])}`);
  for (const file of jsonFilesIn(branch)) {
    const { status, pid } = attempt(wrong, () => readJson(file)) ?? {};
    if (status === "working" || pid !== undefined) wrong.push(`${path.basename(file)} says ${String(status)}`);
    execFileSync("flock", ["--wait", "10", path.join(path.dirname(file), `.${path.basename(file)}.lock`), "true"]);
  }
  for (const folder of [kd, branch, path.join(branch, "sessions"), dir])
    for (const file of readdirSync(folder))
      if (isOurLeftover(file)) wrong.push(`${file} was left in ${path.basename(folder)}`);
  for (const [file, bytes] of files)
    if (readFileSync(path.join(dir, file), "utf8") !== bytes) wrong.push(`${file} of the other program was changed`);
  return wrong;
}

function inTheSession(events: readonly SessionEvent[], { said, files }: Kept): string[] {
  const wrong: string[] = [];
  const own = events.flatMap((one) => (one.type === "user_message" && one.origin === undefined ? [one.text] : []));
  for (const text of said) {
    const times = own.filter((one) => one === text).length;
    if (times !== 1) wrong.push(`${JSON.stringify(text)} is in the session ${times} times`);
  }
  const external = externalMessages(events);
  for (const { file } of external) if (!files.has(file)) wrong.push(`${file} is shown as of the other program`);
  for (const [file, bytes] of files) {
    const body = bytes.split("\n---\n\n")[1]?.slice(0, -1);
    const shown = external.filter((one) => one.file === file).map(({ text }) => text);
    if (shown.length !== 1 || shown[0] !== body) wrong.push(`${file} is shown as ${JSON.stringify(shown)}`);
  }
  return wrong;
}

/** Every file is one message of the session, every message of the session is one file, and no number is left out. */
function fileByFile({ messages }: ReadThread, dir: string, events: readonly SessionEvent[]): string[] {
  const wrong: string[] = [];
  const numbers = messages.map(({ number }) => number);
  if (numbers.some((number, index) => number !== index + 1)) wrong.push(`the numbers are ${numbers.join()}`);
  const names = new Set<string>();
  for (const event of ownEvents(events)) {
    const note = events.findLast((one) => one.type === "mirrored" && one.eventSeq === event.seq);
    if (note?.type !== "mirrored") {
      wrong.push(`event ${event.seq} is in no file`);
      continue;
    }
    const sender = event.type === "user_message" ? "king" : (event.member ?? "").replaceAll("_", "-");
    const file = `${String(note.number).padStart(4, "0")}-${sender}.md`;
    if (names.has(file)) wrong.push(`${file} is two messages`);
    names.add(file);
    const bytes = existsSync(path.join(dir, file)) ? readFileSync(path.join(dir, file)) : undefined;
    if (bytes === undefined) wrong.push(`${file} of event ${event.seq} is not there`);
    else if (createHash("sha256").update(bytes).digest("hex") !== note.hash) wrong.push(`${file} has other bytes`);
  }
  for (const { file } of externalMessages(events)) {
    if (names.has(file)) wrong.push(`${file} is ours and not ours`);
    names.add(file);
  }
  for (const { number, from } of messages) {
    const file = `${String(number).padStart(4, "0")}-${from}.md`;
    if (!names.has(file)) wrong.push(`nothing in the session is ${file}`);
  }
  return wrong;
}
