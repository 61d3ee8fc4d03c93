/**
 * A complete run of a mirrored session: switched on, messages out, messages and a stream in from another program's
 * writer, a number claimed by both, a question answered here, switched off and on again, closed.
 * Every acknowledgement is recorded in a journal that a crash does not affect.
 */
import { appendFileSync, existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { asOther, type Counts } from "./breaking-disk.ts";
import { streamAsKingdom, writeAsKingdom } from "./kingdom-writer.ts";
import type { LifeDirectories, Promised } from "./life-directories.ts";
import { openMirroredSession, type OpenMirrored } from "./open-mirror.ts";

const READS: ReadonlySet<string> = new Set(["openToRead", "read", "readdir", "stat", "lstat", "realpath"]);

/** Changes of the tree and writes of the log, which enclose everything the mirror does. */
export const changes: Counts = (operation, file) =>
  !READS.has(operation) && (isInTree(file) || (operation === "write" && file.endsWith(".jsonl")));

/** Operations of the mirror that can fail; the log has its own tests. */
export const inTree: Counts = (_, file) => isInTree(file);

function isInTree(file: string): boolean {
  return file.startsWith(path.join("project", ".kd"));
}

export async function live(directories: LifeDirectories): Promise<void> {
  const session = await openMirroredSession(directories);
  try {
    await spend(session, directories);
  } finally {
    await session.close();
  }
}

async function spend(session: OpenMirrored, { promises }: LifeDirectories): Promise<void> {
  const promise = (one: Promised) => asOther(() => appendFileSync(promises, `${JSON.stringify(one)}\n`));
  promise({ session: session.sessionId });
  const chosen = () => session.of("settings_changed").findLast(({ settings }) => settings.mirror?.thread !== undefined);
  await session.sees("the thread to be chosen", () => chosen() !== undefined);
  const { kd = "", branch = "", thread = "" } = chosen()?.settings.mirror ?? {};
  const dir = path.join(kd, "branches", branch, "threads", thread);
  promise({ dir });
  const say = async (text: string, member: string): Promise<void> => {
    await session.send(text, member);
    promise({ said: text });
  };
  const other: Other = {
    write(from, to, body) {
      asOther(() => promiseFile(promise, dir, writeAsKingdom(dir, from, to, body)));
    },
    take(file, from, body) {
      const bytes = `---\nfrom: ${from}\nto: king\ntimestamp: 2026-11-15T00:00:00Z\n---\n\n${body}\n`;
      asOther(() => {
        writeFileSync(path.join(dir, file), bytes, { flag: "wx" });
        promiseFile(promise, dir, file);
      });
    },
  };
  await talk({ session, dir, say, other });
  await say("Please hold on.", "claude");
  await session.sees("our stream", () => asOther(() => streamOf(dir, "claude").includes("holding")));
  await session.set(null);
  await session.interrupt();
  await say("While it is off.", "a_b");
  await session.sees("the answers", () => endsOf(session, "claude") === 4 && endsOf(session, "a_b") === 1);
  await session.set({ kd, branch, thread });
  await written(session, 11);
}

interface Other {
  write(from: string, to: string, body: string): void;
  take(file: string, from: string, body: string): void;
}

interface Conversation {
  readonly session: OpenMirrored;
  readonly dir: string;
  readonly say: (text: string, member: string) => Promise<void>;
  readonly other: Other;
}

async function talk({ session, dir, say, other }: Conversation): Promise<void> {
  await say("First, with a second line.  \nHere it is.", "claude");
  await written(session, 2);
  other.write("codex", "king", "I am here too.");
  other.write("king", "codex", "For codex only.");
  await session.sees("both of them", () => endsOf(session, "codex") === 1 && session.of("user_message").length === 2);
  asOther(() => streamAsKingdom(dir, "codex", "One "));
  await session.sees("its stream", () => session.of("text_delta").some(({ text }) => text.includes("One ")));
  other.write("codex", "king", "One and two.");
  await session.sees(
    "the end of its stream",
    () => endsOf(session, "codex") === 2 && session.of("mirrored").length === 3,
  );
  asOther(() => unlinkSync(path.join(dir, ".stream-codex.jsonl")));
  await say("Please hold.", "claude");
  await session.sees("our stream", () => asOther(() => streamOf(dir, "claude").includes("holding")));
  await session.interrupt();
  await written(session, 5);
  // A writer that listed the directory before that message takes the same number.
  const number = String(session.of("mirrored").at(-1)?.number).padStart(4, "0");
  other.take(`${number}-codex.md`, "codex", "Me, at the same time.");
  await session.sees("its turn", () => endsOf(session, "codex") === 3);
  await written(session, 6);
  other.write("king", "claude", "Claude, are you there?");
  await session.sees("the answer", () => endsOf(session, "claude") === 3);
  await written(session, 7);
}

async function written(session: OpenMirrored, count: number): Promise<void> {
  await session.sees(`${count} notes of files`, () => session.of("mirrored").length >= count);
}

function endsOf(session: OpenMirrored, member: string): number {
  return session.of("turn_end").filter((event) => event.member === member).length;
}

function streamOf(dir: string, member: string): string {
  const file = path.join(dir, `.stream-${member}.jsonl`);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function promiseFile(promise: (one: Promised) => void, dir: string, file: string): void {
  promise({ file, bytes: readFileSync(path.join(dir, file), "utf8") });
}
