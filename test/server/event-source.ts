/** Reads server-sent events, as a program with `fetch` would. */
export interface Received {
  id: string | undefined;
  name: string | undefined;
  data: unknown;
}

export interface Source {
  readonly received: readonly Received[];
  /** Resolves with the first that fits, heard already or yet to come; rejects when the stream ends before. */
  next(fits: (one: Received) => boolean): Promise<Received>;
  readonly ended: Promise<void>;
  close(): void;
}

export async function openSource(url: string, headers: Record<string, string>): Promise<Source> {
  const abort = new AbortController();
  const answer = await fetch(url, { headers, signal: abort.signal });
  if (!answer.ok || answer.body === null) throw new Error(`${answer.status}: ${await answer.text()}`);
  const received: Received[] = [];
  const waiting = new Set<(one: Received | undefined) => void>();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();

  async function read(): Promise<void> {
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const one = parse(block);
        received.push(one);
        for (const tell of waiting) tell(one);
      }
    }
  }

  // A stream that is cut has ended too.
  const ended = read()
    .catch(() => {})
    .then(() => {
      for (const tell of waiting) tell(undefined);
    });
  return {
    received,
    ended,
    next(fits) {
      const found = received.find(fits);
      if (found !== undefined) return Promise.resolve(found);
      const { promise, resolve, reject } = Promise.withResolvers<Received>();
      const tell = (one: Received | undefined) => {
        if (one !== undefined && !fits(one)) return;
        waiting.delete(tell);
        if (one === undefined) reject(new Error(`the stream ended after ${JSON.stringify(received.at(-1))}`));
        else resolve(one);
      };
      waiting.add(tell);
      return promise;
    },
    close: () => abort.abort(),
  };
}

function parse(block: string): Received {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  return { id: field("id"), name: field("event"), data: JSON.parse(field("data") ?? "null") };
}
