/**
 * In a directory with a tree of kingdom's thread files the user is asked, once a tree, whether sessions should lie beside
 * it. The answer is stored in the data directory; `threads.mirror` in the configuration, where it is set, decides instead.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import * as z from "zod";
import type { Client } from "../../client/index.ts";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { granted } from "../../protocol/index.ts";
import type { SessionDefaults } from "../../server/index.ts";
import { noteLine } from "../../kit/failure.ts";
import { note } from "../terminal/stdout.ts";

const FILE_NAME = "thread-trees.json";
const TREES_MAX = 1_000;

const Answers = z.record(z.string(), z.boolean());

export interface MirrorOffer {
  /** New sessions are mirrored. */
  readonly isWanted: boolean;
  /** Asked and answered just now, so the session that is opened is meant too. */
  readonly isFresh: boolean;
}

export interface OfferOptions {
  readonly dataDir: string;
  readonly cwd: string;
  /** `threads.mirror` of the configuration; read only where there is a tree. */
  readonly configured: () => boolean | undefined;
  /** False where nobody sits at a terminal. */
  readonly canAsk: boolean;
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
}

const NOTHING: MirrorOffer = { isWanted: false, isFresh: false };

export async function offerMirror(options: OfferOptions): Promise<MirrorOffer> {
  const { dataDir, cwd, configured, canAsk, input = process.stdin, output = process.stderr } = options;
  const tree = findTree(cwd);
  if (tree === undefined || configured() !== undefined) return NOTHING;
  const file = path.join(dataDir, FILE_NAME);
  const answers = readAnswers(file);
  const before = answers[tree];
  if (before !== undefined) return { isWanted: before, isFresh: false };
  if (!canAsk) return NOTHING;
  const question = `Found kingdom's thread files in ${terminalSafeLine(tree)}. Mirror Roundtable sessions there? [y/N] `;
  const answer = await ask(question, input, output);
  // Ctrl+C or a closed terminal is no answer; the next start asks again.
  if (answer === undefined) return NOTHING;
  const isWanted = /^y(es)?$/i.test(answer.trim());
  const entries = Object.entries({ ...answers, [tree]: isWanted }).slice(-TREES_MAX);
  await writeFileAtomic(file, `${JSON.stringify(Object.fromEntries(entries))}\n`);
  note(noteLine(isWanted ? WANTED : UNWANTED));
  return { isWanted, isFresh: isWanted };
}

const WANTED = "sessions of this directory are mirrored; roundtable council mirror --off ends it for one";
const UNWANTED = "sessions are not mirrored; roundtable council mirror does it for one at any time";

export function withMirror(defaults: SessionDefaults, { isWanted }: MirrorOffer): SessionDefaults {
  const { settings } = defaults;
  if (!isWanted || settings.mirror !== undefined) return defaults;
  return { ...defaults, settings: { ...settings, mirror: {} } };
}

/** The session that is opened after a yes, unless it has its thread already. */
export async function mirrorChosen(client: Client, sessionId: string): Promise<void> {
  const chosen = (await client.list()).find((one) => one.sessionId === sessionId);
  if (chosen?.mirrored === true) return;
  granted(await client.command(sessionId, { type: "set_settings", settings: { mirror: {} } }));
}

/** As a mirror would find it: up to the top of the checkout. */
function findTree(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = path.dirname(dir)) {
    const tree = path.join(dir, ".kd");
    if (isDirectory(tree)) return tree;
    if (isThere(path.join(dir, ".git")) || dir === path.dirname(dir)) return undefined;
  }
}

function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function readAnswers(file: string): Record<string, boolean> {
  try {
    return Answers.parse(JSON.parse(readOwnFile(file)));
  } catch {
    // Missing at first; a damaged one costs that the user is asked once more.
    return {};
  }
}

async function ask(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  const terminal = createInterface({ input, output });
  const closed = Promise.withResolvers<undefined>();
  terminal.once("close", () => closed.resolve(undefined));
  try {
    return await Promise.race([terminal.question(question), closed.promise]);
  } finally {
    terminal.close();
  }
}
