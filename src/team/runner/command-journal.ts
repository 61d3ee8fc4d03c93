/**
 * Journal of the team's commands that this runner has started, with their results, so that a command runs once although
 * it may be delivered again after a lost connection or a kill. One JSON line each; the newest are kept.
 */
import { open, type FileHandle } from "node:fs/promises";
import * as z from "zod";
import { readIfThere, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { Ack } from "../../protocol/index.ts";

/** More than can be pending for a runner. */
const COMMANDS_MAX = 2_000;

const Line = z.object({ key: z.string(), ack: Ack.optional() });

export interface CommandJournal {
  /** "new": never started here. "begun": started, result unknown. */
  stateOf(key: string): "new" | "begun" | Ack;
  /** Resolves when the record is on disk; from then on the command counts as begun. */
  begin(key: string): Promise<void>;
  end(key: string, ack: Ack): Promise<void>;
  close(): Promise<void>;
}

export async function openCommandJournal(file: string): Promise<CommandJournal> {
  const known = new Map<string, Ack | undefined>();
  for (const text of (readIfThere(file) ?? "").split("\n")) {
    const line = parse(text);
    if (line !== undefined) known.set(line.key, line.ack);
  }
  for (const key of [...known.keys()].slice(0, -COMMANDS_MAX)) known.delete(key);
  await writeFileAtomic(file, [...known].map(([key, ack]) => `${JSON.stringify({ key, ack })}\n`).join(""));
  const handle: FileHandle = await open(file, "a", 0o600);
  const write = async (key: string, ack?: Ack): Promise<void> => {
    known.delete(key);
    known.set(key, ack);
    const [oldest] = known.keys();
    if (known.size > COMMANDS_MAX && oldest !== undefined) known.delete(oldest);
    await handle.write(`${JSON.stringify({ key, ack })}\n`);
    await handle.datasync();
  };
  return {
    stateOf: (key) => (known.has(key) ? (known.get(key) ?? "begun") : "new"),
    begin: (key) => write(key),
    end: (key, ack) => write(key, ack),
    close: () => handle.close(),
  };
}

/** Undefined for the torn last line of a killed process. */
function parse(text: string): z.infer<typeof Line> | undefined {
  if (text === "") return undefined;
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
