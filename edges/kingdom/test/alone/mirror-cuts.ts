/** Kills a mirrored session at one point, in its own process, and checks the result. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { packedTestProgram } from "../../../../test/packed-program.ts";
import type { Effect } from "./breaking-disk.ts";
import { judgeImport } from "./import-life.ts";
import { directoriesIn } from "./life-directories.ts";
import { judge } from "./mirror-judge.ts";

export type Life = "mirror" | "import";

export interface Cut {
  readonly at: number;
  readonly kind: "kill" | "torn";
}

export interface LifeDone {
  readonly operations: readonly string[];
  readonly halves: number;
}

const JUDGES: Readonly<Record<Life, (root: string) => Promise<string[]>>> = {
  mirror: (root) => judge(directoriesIn(root)),
  import: judgeImport,
};

/** Operations of an uninterrupted run. */
export async function wholeLife(life: Life): Promise<LifeDone> {
  return await inNewRoot(async (root) => {
    const done = await liveIn(root, life);
    if (done === undefined) throw new Error("nobody cut this life");
    const wrong = await JUDGES[life](root);
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    return done;
  });
}

/** Empty when everything is correct, also when the run ended before that operation. */
export async function cutAt(life: Life, cut: Cut): Promise<string[]> {
  return await inNewRoot(async (root) => {
    await liveIn(root, life, cut);
    const wrong = await JUDGES[life](root).catch((error: unknown) => [String(error)]);
    return wrong.map((one) => `${life}, ${cut.kind} at ${cut.at}: ${one}`);
  });
}

/** Runs this many at once and collects all errors. */
export async function cutAll(life: Life, cuts: readonly Cut[], atOnce: number): Promise<string[]> {
  const waiting = [...cuts];
  const wrong: string[] = [];
  const one = async (): Promise<void> => {
    for (let cut = waiting.shift(); cut !== undefined; cut = waiting.shift()) wrong.push(...(await cutAt(life, cut)));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return wrong;
}

/** Every point at which it can be killed. */
export function allCuts({ operations, halves }: { operations: number; halves: number }): Cut[] {
  return [
    ...Array.from({ length: operations }, (_, index): Cut => ({ at: index + 1, kind: "kill" })),
    ...Array.from({ length: halves }, (_, index): Cut => ({ at: index + 1, kind: "torn" })),
  ];
}

interface Refused {
  readonly at: number;
  readonly hit?: string;
  readonly operations: number;
  readonly halves: number;
  readonly wrong: readonly string[];
}

/** One run for each failing operation. */
export async function refuseAt(effect: "EIO" | "ENOSPC", points: readonly number[]): Promise<Refused[]> {
  return await inNewRoot(async (root) => {
    const output = await run("mirror-refusals", [root, effect, ...points.map(String)]);
    return (output ?? "")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Refused);
  });
}

async function inNewRoot<T>(work: (root: string) => Promise<T>): Promise<T> {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-cut-")));
  try {
    return await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Undefined when it was killed. */
async function liveIn(root: string, life: Life, cut?: Cut): Promise<LifeDone | undefined> {
  const fault: [string, Effect][] = cut === undefined ? [] : [[String(cut.at), cut.kind]];
  const output = await run(`${life}-life`, [root, ...fault.flat()]);
  return output === undefined ? undefined : (JSON.parse(output) as LifeDone);
}

async function run(program: `${Life}-life` | "mirror-refusals", args: readonly string[]): Promise<string | undefined> {
  const file = await packedTestProgram(program);
  const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (signal === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}`);
  return output;
}
