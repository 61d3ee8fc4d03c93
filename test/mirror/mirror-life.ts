/**
 * The whole life of a mirrored session: switched on, messages out, messages and a stream in from another program's
 * writer, a number that both took, a question that is answered here, switched off and on again, closed.
 * Whatever was promised to either side is put down beside it at once, where a cut does not reach it.
 */
import { appendFileSync, existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { asOther, type Counts } from "./breaking-disk.ts";
import { streamAsKingdom, writeAsKingdom } from "./kingdom-writer.ts";
import type { LifePlace, Promised } from "./life-place.ts";
import { openSeat, type MirrorSeat } from "./mirror-seat.ts";

const READS: ReadonlySet<string> = new Set(["openToRead", "read", "readdir", "stat", "lstat", "realpath"]);

/** What the mirror changes in the tree, and the log's writes, between which everything of it lies. */
export const changes: Counts = (operation, file) =>
  !READS.has(operation) && (isInTree(file) || (operation === "write" && file.endsWith(".jsonl")));

/** What a disk can refuse the mirror; the log has tests of its own for that. */
export const inTree: Counts = (_, file) => isInTree(file);

function isInTree(file: string): boolean {
  return file.startsWith(path.join("project", ".kd"));
}

export async function live(place: LifePlace): Promise<void> {
  const seat = await openSeat(place);
  try {
    await spend(seat, place);
  } finally {
    await seat.close();
  }
}

async function spend(seat: MirrorSeat, { promises }: LifePlace): Promise<void> {
  const promise = (one: Promised) => asOther(() => appendFileSync(promises, `${JSON.stringify(one)}\n`));
  promise({ session: seat.sessionId });
  const chosen = () => seat.of("settings_changed").findLast(({ settings }) => settings.mirror?.thread !== undefined);
  await seat.sees("the thread to be chosen", () => chosen() !== undefined);
  const { kd = "", branch = "", thread = "" } = chosen()?.settings.mirror ?? {};
  const dir = path.join(kd, "branches", branch, "threads", thread);
  promise({ dir });
  const say = async (text: string, member: string): Promise<void> => {
    await seat.send(text, member);
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
  await talk({ seat, dir, say, other });
  await say("Please hold on.", "claude");
  await seat.sees("our stream", () => asOther(() => streamOf(dir, "claude").includes("holding")));
  await seat.set(null);
  await seat.interrupt();
  await say("While it is off.", "a_b");
  await seat.sees("the answers", () => endsOf(seat, "claude") === 4 && endsOf(seat, "a_b") === 1);
  await seat.set({ kd, branch, thread });
  await written(seat, 11);
}

interface Other {
  write(from: string, to: string, body: string): void;
  take(file: string, from: string, body: string): void;
}

interface Talk {
  readonly seat: MirrorSeat;
  readonly dir: string;
  readonly say: (text: string, member: string) => Promise<void>;
  readonly other: Other;
}

async function talk({ seat, dir, say, other }: Talk): Promise<void> {
  await say("First, with a second line.  \nHere it is.", "claude");
  await written(seat, 2);
  other.write("codex", "king", "I am here too.");
  other.write("king", "codex", "For codex only.");
  await seat.sees("both of them", () => endsOf(seat, "codex") === 1 && seat.of("user_message").length === 2);
  asOther(() => streamAsKingdom(dir, "codex", "One "));
  await seat.sees("its stream", () => seat.of("text_delta").some(({ text }) => text.includes("One ")));
  other.write("codex", "king", "One and two.");
  await seat.sees("the end of its stream", () => endsOf(seat, "codex") === 2 && seat.of("mirrored").length === 3);
  asOther(() => unlinkSync(path.join(dir, ".stream-codex.jsonl")));
  await say("Please hold.", "claude");
  await seat.sees("our stream", () => asOther(() => streamOf(dir, "claude").includes("holding")));
  await seat.interrupt();
  await written(seat, 5);
  // Somebody who looked before that message was there takes its number, too.
  const number = String(seat.of("mirrored").at(-1)?.number).padStart(4, "0");
  other.take(`${number}-codex.md`, "codex", "Me, at the same time.");
  await seat.sees("its turn", () => endsOf(seat, "codex") === 3);
  await written(seat, 6);
  other.write("king", "claude", "Claude, are you there?");
  await seat.sees("the answer", () => endsOf(seat, "claude") === 3);
  await written(seat, 7);
}

async function written(seat: MirrorSeat, count: number): Promise<void> {
  await seat.sees(`${count} notes of files`, () => seat.of("mirrored").length >= count);
}

function endsOf(seat: MirrorSeat, member: string): number {
  return seat.of("turn_end").filter((event) => event.member === member).length;
}

function streamOf(dir: string, member: string): string {
  const file = path.join(dir, `.stream-${member}.jsonl`);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

function promiseFile(promise: (one: Promised) => void, dir: string, file: string): void {
  promise({ file, bytes: readFileSync(path.join(dir, file), "utf8") });
}
