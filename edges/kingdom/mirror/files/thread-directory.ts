/**
 * The directory of one thread: its content, and how messages are written.
 * Promises: a message appears whole or not at all; its number is unique among programs that claim numbers as we do, and
 * is moved when another program takes it; a crash leaves nothing that looks like a message.
 */
import { readdir, stat, unlink } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../../../src/kit/clock.ts";
import { syncDirectory } from "../../../../src/kit/files/atomic-file.ts";
import { RoundtableError } from "../../../../src/protocol/index.ts";
import * as kingdom from "../../format/kingdom.ts";
import { ignoreMissing } from "./error-code.ts";
import { readTreeFile } from "./tree-file.ts";
import { removeTempFile, linkIfAbsent, isTempFileOf, writeTempFile } from "./atomic-file.ts";

/** Attempts at a free number; each failure means that another program has written a message. */
const TRIES_MAX = 200;
/** A claimed number that stays unused for this long is skipped: its owner has died. */
const CLAIM_STALE_MS = 1_000;
const CLAIM_WAIT_MS = 4;
/** Two messages with one number that were written further apart than this were not written in a race. */
const RACE_MS = 10_000;
/** Messages longer than this are read as damaged rather than into memory. */
export const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;
/** Longer than anything that we write. */
const OWN_MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

export interface MessageEntry {
  readonly file: string;
  readonly number: number;
  readonly sender: string;
}

export interface ThreadScan {
  /** By number, then by name. */
  readonly messages: readonly MessageEntry[];
  /** Streams by sender. */
  readonly streams: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

export async function scanThread(dir: string): Promise<ThreadScan> {
  const messages: MessageEntry[] = [];
  const streams = new Map<string, string>();
  const others: string[] = [];
  for (const file of await readdir(dir)) {
    const message = kingdom.parseMessageFileName(file);
    const sender = kingdom.parseStreamFileName(file);
    if (message !== undefined) messages.push({ file, ...message });
    else if (sender !== undefined) streams.set(sender, file);
    else others.push(file);
  }
  messages.sort((a, b) => a.number - b.number || (a.file < b.file ? -1 : 1));
  return { messages, streams, others };
}

export interface Written {
  readonly number: number;
  readonly file: string;
}

export interface NewMessage {
  readonly dir: string;
  readonly sender: string;
  readonly content: string;
  /** Marks temporary files, so that the same session removes leftovers of a crash. */
  readonly owner: string;
  readonly clock: Clock;
  /** Called right before the message appears, each time it is tried. */
  readonly beforePublish?: (() => void) | undefined;
}

/**
 * Throws `too_large` when the thread is out of numbers. After any other error the message may exist all the same.
 * One call per owner at a time.
 */
export async function writeMessage(message: NewMessage): Promise<Written> {
  const { dir, sender, content, owner, clock, beforePublish } = message;
  const temporary = await writeTempFile(dir, owner, content);
  try {
    let written = await publishMessage({ dir, sender, temporary, clock, beforePublish });
    for (let tries = 0; await isShared(dir, written); tries += 1) {
      if (tries > TRIES_MAX) break;
      const before = path.join(dir, written.file);
      written = await publishMessage({ dir, sender, temporary, clock, beforePublish: undefined });
      await unlink(before);
    }
    await removeTempFile(temporary);
    await syncDirectory(dir).catch(() => {
      // The message is written; only a power cut could take it back, and then the log writes it again.
    });
    return written;
  } catch (error) {
    // As after a crash: the claim is released; a file that was placed is recognised by its content.
    await removeOrphanedFiles(dir, owner).catch(() => undefined);
    throw error;
  }
}

/** Undefined when it is gone. Throws `UnreadableFile`. */
export async function readOwnMessage(dir: string, file: string): Promise<string | undefined> {
  return await readTreeFile(path.join(dir, file), OWN_MESSAGE_BYTES_MAX);
}

/** Renumbers one of our messages, because another program took its number. Undefined when it is gone. */
export async function moveMessage(
  { dir, sender, owner, clock }: Omit<NewMessage, "content">,
  file: string,
): Promise<(Written & { readonly content: string }) | undefined> {
  const content = await readOwnMessage(dir, file);
  if (content === undefined) return undefined;
  const written = await writeMessage({ dir, sender, content, owner, clock });
  await unlink(path.join(dir, file)).catch(ignoreMissing);
  return { ...written, content };
}

/** Removes leftovers of this owner's crash: temporary files and claimed numbers. */
export async function removeOrphanedFiles(dir: string, owner: string): Promise<void> {
  const { others, messages } = await scanThread(dir);
  for (const file of others.filter((name) => isTempFileOf(owner, name))) {
    const { ino } = await stat(path.join(dir, file));
    const same = async (name: string) => (await stat(path.join(dir, name)).catch(ignoreMissing))?.ino === ino;
    for (const claim of others.filter((name) => name.startsWith(CLAIM))) {
      if (await same(claim)) await unlink(path.join(dir, claim)).catch(ignoreMissing);
    }
    // An interrupted move leaves the message under two numbers; the later one is the target.
    const copies: string[] = [];
    for (const message of messages.slice(-COPIES_LOOKED_AT)) if (await same(message.file)) copies.push(message.file);
    for (const copy of copies.slice(0, -1)) await unlink(path.join(dir, copy)).catch(ignoreMissing);
    await unlink(path.join(dir, file)).catch(ignoreMissing);
  }
}

const CLAIM = ".claim-";
const COPIES_LOOKED_AT = 50;

interface PublishOptions {
  readonly dir: string;
  readonly sender: string;
  readonly temporary: string;
  readonly clock: Clock;
  readonly beforePublish: (() => void) | undefined;
}

/** Claims a number by a file whose name is the number alone, so that two writers never share one. */
async function publishMessage({ dir, sender, temporary, clock, beforePublish }: PublishOptions): Promise<Written> {
  let number = highest(await scanThread(dir)) + 1;
  let staleSince = clock.monotonic();
  for (let tries = 0; tries < TRIES_MAX;) {
    if (number > kingdom.NUMBER_MAX) throw threadIsFull(dir);
    const claim = path.join(dir, `${CLAIM}${String(number).padStart(4, "0")}.tmp`);
    if (!(await linkIfAbsent(temporary, claim))) {
      const next = highest(await scanThread(dir)) + 1;
      if (next > number) [number, staleSince] = [next, clock.monotonic()];
      else if (clock.monotonic() - staleSince > CLAIM_STALE_MS) number += 1;
      else await pause(clock, CLAIM_WAIT_MS);
      continue;
    }
    try {
      const highestUsed = highest(await scanThread(dir));
      const file = kingdom.messageFileName(number, sender);
      if (highestUsed < number) beforePublish?.();
      if (highestUsed < number && (await linkIfAbsent(temporary, path.join(dir, file)))) return { number, file };
      number = Math.max(number, highestUsed) + 1;
      tries += 1;
    } finally {
      await unlink(claim).catch(ignoreMissing);
    }
  }
  throw new RoundtableError("busy", `Other programs write to ${dir} too quickly to claim a number.`);
}

/** Whether another program, which claims names instead of numbers, has taken the same number. */
async function isShared(dir: string, { number, file }: Written): Promise<boolean> {
  return (await scanThread(dir)).messages.some((one) => one.number === number && one.file !== file);
}

/** Whether another message with this number was written at about the same time. */
export async function isRace(dir: string, ours: MessageEntry, shared: readonly MessageEntry[]): Promise<boolean> {
  const timeOf = async ({ file }: MessageEntry) => (await stat(path.join(dir, file)).catch(ignoreMissing))?.mtimeMs;
  const own = (await timeOf(ours)) ?? NaN;
  for (const other of shared) {
    if (other.file !== ours.file && Math.abs(((await timeOf(other)) ?? NaN) - own) <= RACE_MS) return true;
  }
  return false;
}

function highest({ messages }: ThreadScan): number {
  return messages.at(-1)?.number ?? 0;
}

function threadIsFull(dir: string): RoundtableError {
  return new RoundtableError(
    "too_large",
    `The thread in ${dir} holds ${kingdom.NUMBER_MAX} messages, as many as its readers can see.`,
    { hint: "roundtable council mirror --new continues in a new thread." },
  );
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
