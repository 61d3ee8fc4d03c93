/** A small client of linggen's protocol, written from its description: the stream, and the requests beside it. */
import { foldFrames, type Folded } from "./fold-frames.ts";
import { kindOf, problemWith, type Frame } from "./frame-schemas.ts";
import { patient } from "../../../test/patience.ts";

/** Generous: the machine may be busy with other things. */
const WAIT_MS = patient(30_000);
const SHOWN = 12;

export interface LinggenClient {
  readonly frames: readonly Frame[];
  /** The first match, received or yet to come. */
  sees(fits: (frame: Frame) => boolean): Promise<Frame>;
  /** The first of this kind and phase after the frame, if one is given. */
  seesKind(kind: string, after?: Frame): Promise<Frame>;
  folded(): Folded;
  get(path: string, query?: Record<string, string>): Promise<unknown>;
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  chat(message: string, more?: Record<string, unknown>): Promise<{ status: string; session_id: string }>;
  close(): void;
}

export async function openLinggenClient(
  url: string,
  projectRoot: string,
  { headers = {}, query = "" }: { headers?: Record<string, string>; query?: string } = {},
): Promise<LinggenClient> {
  const abort = new AbortController();
  const answer = await fetch(`${url}/api/events${query}`, { headers, signal: abort.signal });
  if (!answer.ok || answer.body === null) throw new Error(`${answer.status}: ${await answer.text()}`);
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  void read(reader, (frame) => {
    frames.push(frame);
    for (const look of waiting) look();
  });

  function sees(fits: (frame: Frame) => boolean): Promise<Frame> {
    const { promise, resolve, reject } = Promise.withResolvers<Frame>();
    const late = setTimeout(() => {
      reject(new Error(`no such frame came; the last were: ${JSON.stringify(frames.slice(-SHOWN))}`));
    }, WAIT_MS);
    const look = () => {
      const found = frames.find(fits);
      if (found === undefined) return;
      clearTimeout(late);
      waiting.delete(look);
      resolve(found);
    };
    waiting.add(look);
    look();
    return promise;
  }

  async function ask(method: string, path: string, body?: unknown) {
    const said = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const one = await fetch(`${url}${path}`, { method, headers: { ...headers, ...type }, ...said });
    return { status: one.status, body: bodyOf(await one.text()) };
  }

  return {
    frames,
    sees,
    seesKind: (kind, after) => sees((frame) => kindOf(frame) === kind && frame.seq > (after?.seq ?? 0)),
    folded: () => foldFrames(frames),
    ask,
    async get(path, more = {}) {
      const { status, body } = await ask(
        "GET",
        `${path}?${new URLSearchParams({ project_root: projectRoot, ...more })}`,
      );
      if (status === 200) return body;
      throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    },
    async chat(message, more = {}) {
      const said = { project_root: projectRoot, agent_id: "ling", message, session_id: null, ...more };
      const { status, body } = await ask("POST", "/api/chat", said);
      if (status === 200) return body as { status: string; session_id: string };
      throw new Error(`chat: ${status} ${JSON.stringify(body)}`);
    },
    close: () => abort.abort(),
  };
}

/** A plain sentence counts as an error. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { error: text };
  }
}

async function read(reader: ReadableStreamDefaultReader<string>, hear: (frame: Frame) => void): Promise<void> {
  let text = "";
  let lastSeq = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks.filter((one) => !one.startsWith(":"))) {
        if (!block.startsWith("data: ") || block.includes("\n")) throw new Error(`not one data line: ${block}`);
        const frame = JSON.parse(block.slice("data: ".length)) as Frame;
        const problem = problemWith(frame);
        if (problem !== undefined || frame.seq <= lastSeq)
          throw new Error(problem ?? `seq ${frame.seq} after ${lastSeq}`);
        lastSeq = frame.seq;
        hear(frame);
      }
    }
  } catch (error) {
    // A stream that the test closes ends so too; anything else makes the frames stop coming, and says why.
    if (!(error instanceof DOMException)) process.stderr.write(`${String(error)}\n`);
  }
}
