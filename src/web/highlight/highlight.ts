/** The highlighter of the page: a worker that is started by the first code. Results are cached. */
import type { HighlightAnswer, HighlightJob, HighlightRun } from "./highlight-worker.ts";

/** Longer code is shown plain. */
const CODE_CHARS_MAX = 200_000;
const CACHE_MAX = 200;
const WORKER_PATH = "/highlighter.js";

const cache = new Map<string, HighlightedLines | undefined>();
const waiting = new Map<number, (lines: HighlightedLines | undefined) => void>();
let worker: Worker | undefined;
let jobs = 0;

/** Endings of file names that are not names of their language. */
const BY_ENDING: Readonly<Record<string, string>> = {
  cjs: "js",
  mts: "ts",
  cts: "ts",
  h: "c",
  hpp: "c",
  cc: "c",
  htm: "html",
  mk: "make",
  bash: "sh",
};

/** Language of a file by its name; empty when it has none. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === "dockerfile" || name === "makefile") return name;
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : "";
  return BY_ENDING[ending] ?? ending;
}

export type HighlightedLines = readonly (readonly HighlightRun[])[];

/** Undefined while pending, or when it failed. */
export function knownHighlight(code: string, language: string): HighlightedLines | undefined {
  return cache.get(keyOf(code, language));
}

/** Lines of runs with a kind each, for classes `hl-kind`; undefined for code that is too long or of an unknown language. */
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
  // Without the worker code stays plain.
  started.addEventListener("error", () => {
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  });
  return started;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(url: string): string };
}

/** The only script URL this page may start, for Trusted Types. */
function trustedUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("roundtable", { createScriptURL: () => WORKER_PATH });
  return policy?.createScriptURL(WORKER_PATH) ?? WORKER_PATH;
}
