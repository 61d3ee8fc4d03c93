/**
 * In a project with kingdom's thread files the user is asked once per tree whether sessions should be mirrored there.
 * The answer is stored in the data directory; `threads.mirror` of the configuration, where it is set, decides instead.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import * as z from "zod";
import type { Client } from "../../src/client/index.ts";
import type { MirrorOffer, OfferRequest } from "../../src/edge/index.ts";
import { writeFileAtomic } from "../../src/kit/files/atomic-file.ts";
import { readOwnFile } from "../../src/kit/files/own-file.ts";
import { terminalSafeLine } from "../../src/kit/text/terminal-safe.ts";
import { granted } from "../../src/protocol/index.ts";

const FILE_NAME = "thread-trees.json";
const TREES_MAX = 1_000;

const Answers = z.record(z.string(), z.boolean());

const ACCEPTED = "sessions in this directory are mirrored; to end it for one session: roundtable council mirror --off";
const DECLINED = "sessions are not mirrored; to mirror one at any time: roundtable council mirror";

export async function offerMirror({ dataDir, cwd, configured, canAsk, warn }: OfferRequest): Promise<MirrorOffer> {
  const tree = findTree(cwd);
  if (tree === undefined || configured() !== undefined) return {};
  const file = path.join(dataDir, FILE_NAME);
  const answers = readAnswers(file);
  const stored = answers[tree];
  if (stored !== undefined) return stored ? { settings: { mirror: {} } } : {};
  if (!canAsk) return {};
  const answer = await ask(
    `Found kingdom's thread files in ${terminalSafeLine(tree)}. Mirror Roundtable sessions there? [y/N] `,
  );
  // Ctrl+C or a closed terminal is no answer; the next start asks again.
  if (answer === undefined) return {};
  const isAccepted = /^y(es)?$/i.test(answer.trim());
  const entries = Object.entries({ ...answers, [tree]: isAccepted }).slice(-TREES_MAX);
  await writeFileAtomic(file, `${JSON.stringify(Object.fromEntries(entries))}\n`);
  warn(isAccepted ? ACCEPTED : DECLINED);
  return isAccepted ? { settings: { mirror: {} }, onChosen: mirrorSession } : {};
}

/** The session that is opened after a yes, unless it is mirrored already. */
async function mirrorSession(client: Client, sessionId: string): Promise<void> {
  const chosen = (await client.list()).find((one) => one.sessionId === sessionId);
  if (chosen?.mirrored === true) return;
  granted(await client.command(sessionId, { type: "set_settings", settings: { mirror: {} } }));
}

/** Searches upwards to the root of the checkout, as a mirror does. */
function findTree(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = path.dirname(dir)) {
    const tree = path.join(dir, ".kd");
    if (isDirectory(tree)) return tree;
    if (exists(path.join(dir, ".git")) || dir === path.dirname(dir)) return undefined;
  }
}

function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function readAnswers(file: string): Record<string, boolean> {
  try {
    return Answers.parse(JSON.parse(readOwnFile(file)));
  } catch {
    // Missing at first; if it is damaged, the user is asked again.
    return {};
  }
}

async function ask(question: string): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = Promise.withResolvers<undefined>();
  terminal.once("close", () => closed.resolve(undefined));
  try {
    return await Promise.race([terminal.question(question), closed.promise]);
  } finally {
    terminal.close();
  }
}
