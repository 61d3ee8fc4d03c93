/** Asks the highlighter's thread, which is started by the first code that is drawn. Answers are kept for a while. */
import type { HighlightAnswer, HighlightJob, HighlightRun } from "./highlight-worker.ts";

export type HighlightedLines = readonly (readonly HighlightRun[])[];

/** Longer code is shown plain. */
const CODE_CHARS_MAX = 50_000;
const CACHE_MAX = 200;
const WORKER_PATH = "/highlighter.js";

const cache = new Map<string, HighlightedLines | undefined>();
const waiting = new Map<number, (lines: HighlightedLines | undefined) => void>();
let worker: Worker | undefined;
let jobs = 0;

/** Undefined while it is not known, or never will be. */
export function knownHighlight(code: string, language: string): HighlightedLines | undefined {
  return cache.get(keyOf(code, language));
}

export async function highlight(code: string, language: string): Promise<HighlightedLines | undefined> {
  const key = keyOf(code, language);
  if (language === "" || code.length > CODE_CHARS_MAX) return undefined;
  if (cache.has(key)) return cache.get(key);
  const lines = await ask(code, language);
  cache.set(key, lines);
  if (cache.size > CACHE_MAX) cache.delete(cache.keys().next().value ?? "");
  return lines;
}

function keyOf(code: string, language: string): string {
  return `${language}\n${code}`;
}

function ask(code: string, language: string): Promise<HighlightedLines | undefined> {
  worker ??= startWorker();
  const { promise, resolve } = Promise.withResolvers<HighlightedLines | undefined>();
  const job: HighlightJob = { id: (jobs += 1), code, language };
  waiting.set(job.id, resolve);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows; this is a thread.
  worker.postMessage(job);
  return promise;
}

function startWorker(): Worker {
  const started = new Worker(trustedUrl(), { type: "module" });
  started.addEventListener("message", (event: MessageEvent<HighlightAnswer>) => {
    waiting.get(event.data.id)?.(event.data.lines);
    waiting.delete(event.data.id);
  });
  // Without it code is plain, and nothing else is different.
  started.addEventListener("error", () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return started;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(url: string): string };
}

/** The one script this page may start, for browsers that ask for a promise about it. */
function trustedUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("roundtable", { createScriptURL: () => WORKER_PATH });
  return policy?.createScriptURL(WORKER_PATH) ?? WORKER_PATH;
}
