/** What holds for every foreign file, tried on recorded ones that are cut and harmed at random. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";
import { findSessionsIn, readTranscript } from "../../src/host/index.ts";
import { externalFormats } from "../edge-parts.ts";
import { RoundtableError } from "../../src/protocol/index.ts";
import { loadedMessages, type Transcript } from "../../src/transcript/index.ts";
import { bring, copyOf, newDirectory, readBack } from "./import-file.ts";

export function seedOfRun(): number {
  return Number(process.env["SEED"] ?? Date.now() % 100_000);
}

/** The same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

export async function mainFile(store: string): Promise<{ file: string; format: string }> {
  const [first] = (await findSessionsIn(store, externalFormats)).sessions;
  if (first === undefined) throw new Error(`${store} holds no session.`);
  return { file: first.path, format: first.format };
}

/** What only a file that was cut in the middle of a line makes one say. */
export function withoutTorn(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.includes("is not finished and is not shown"));
}

/** A file that grew in a few steps reads as when it is imported at once. */
export async function growsAlike(name: string, { rounds, seed }: { rounds: number; seed: number }): Promise<void> {
  const random = createRandom(seed);
  const { file } = await mainFile(copyOf(name));
  const whole = readFileSync(file);
  const atOnce = newDirectory();
  const { sessionId } = await bring(file, { dataDir: atOnce });
  const wanted = await readBack(atOnce, sessionId);
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = newDirectory();
    const steps = Array.from({ length: 1 + Math.floor(random() * 3) }, () => Math.floor(random() * whole.length));
    for (const bytes of steps.sort((one, other) => one - other)) {
      writeFileSync(file, whole.subarray(0, bytes));
      // A beginning in which nobody has spoken yet is nothing to import.
      await bring(file, { dataDir }).catch(() => undefined);
    }
    writeFileSync(file, whole);
    await bring(file, { dataDir });
    expect(withoutTorn(await readBack(dataDir, sessionId)), `seed ${seed}, cut at ${steps.join(", ")}`).toEqual(wanted);
  }
}

const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  1e300,
  "",
  "\ud800",
  "x".repeat(300_000),
  [],
  [[]],
  {},
  { type: "text" },
  true,
];

/** Another value somewhere in it, or a key that is gone. */
function harm(value: unknown, random: () => number, depth = 0): unknown {
  const odd = (): unknown => ODD[Math.floor(random() * ODD.length)];
  if (typeof value !== "object" || value === null || depth > 6) return odd();
  if (Array.isArray(value)) {
    return random() < 0.3 ? odd() : value.map((one) => (random() < 0.5 ? harm(one, random, depth + 1) : one));
  }
  const keys = Object.keys(value);
  const key = keys[Math.floor(random() * keys.length)] ?? "";
  const { [key]: chosen, ...rest } = value as Record<string, unknown>;
  return random() < 0.2 ? rest : { ...rest, [key]: harm(chosen, random, depth + 1) };
}

function harmLine(line: string, random: () => number): string[] {
  const dice = random();
  if (dice < 0.03) return [];
  if (dice < 0.06) return [line, line];
  if (dice < 0.09) return [line.slice(0, Math.floor(random() * line.length))];
  return dice < 0.3 ? [JSON.stringify(harm(JSON.parse(line), random))] : [line];
}

/** A file with anything wrong in it imports, settles, and imports again without change. */
export async function standsHarm(name: string, { rounds, seed }: { rounds: number; seed: number }): Promise<void> {
  const random = createRandom(seed);
  const { file, format } = await mainFile(copyOf(name));
  const lines = readFileSync(file, "utf8").trim().split("\n");
  for (let round = 0; round < rounds; round += 1) {
    const dataDir = newDirectory();
    writeFileSync(file, `${lines.flatMap((line) => harmLine(line, random)).join("\n")}\n`);
    const where = `seed ${seed}, round ${round}`;
    const imported = await bring(file, { dataDir, format }).catch((error: unknown) => {
      if (error instanceof RoundtableError && error.code === "unknown_session") return undefined;
      throw new Error(where, { cause: error });
    });
    if (imported === undefined) continue;
    expectSettled(await readTranscript(dataDir, imported.sessionId));
    expect(await bring(file, { dataDir, format }), where).toMatchObject({ isNew: false, added: 0 });
  }
}

function expectSettled(transcript: Transcript): void {
  const { openTurns, deliveries, totals } = transcript.head;
  expect({ openTurns, deliveries, tokens: totals.inputTokens, turns: totals.turns }).toEqual({
    openTurns: {},
    deliveries: {},
    tokens: 0,
    turns: 0,
  });
  const turns = [...loadedMessages(transcript)].filter((message) => message.kind === "turn");
  const blocks = turns.flatMap((turn) => turn.blocks);
  expect(blocks.filter((block) => block.kind === "tool" && block.state === "pending")).toEqual([]);
}
