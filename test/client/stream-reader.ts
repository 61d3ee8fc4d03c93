/** A reader of server-sent events as any script would write it: it comes back with the last id it has seen whole. */
import type { SessionEvent } from "../../src/protocol/index.ts";
import type { View } from "./check-view.ts";
import { patient } from "../patience.ts";

/** A streaming session is never silent for this long; whoever is has lost its connection. */
const SILENCE_MS = patient(500);
/** On a machine that is too busy for that, each try that brought nothing makes the next more patient. */
const SILENCE_MS_MAX = patient(10_000);
const AGAIN_MS = 20;

export interface StreamReaderOptions {
  /** Asked at every try. */
  readonly url: () => string;
  readonly token: () => string;
  readonly view: View;
}

export class StreamReader {
  connections = 0;
  readonly #options: StreamReaderOptions;
  #lastId: string | undefined;
  #isClosed = false;
  #abort = new AbortController();
  #silenceMs = SILENCE_MS;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      // However a connection ends, the next one goes on from the last id.
      await this.#read().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  async #read(): Promise<void> {
    const { url, token, view } = this.#options;
    this.#abort = new AbortController();
    const late = setTimeout(() => this.#abort.abort(), this.#silenceMs);
    this.#silenceMs = Math.min(2 * this.#silenceMs, SILENCE_MS_MAX);
    try {
      const response = await fetch(`${url()}/v1/sessions/${view.sessionId}/events`, {
        headers: {
          authorization: `Bearer ${token()}`,
          ...(this.#lastId === undefined ? {} : { "last-event-id": this.#lastId }),
        },
        signal: this.#abort.signal,
      });
      if (!response.ok || response.body === null) throw new Error(`answered ${response.status}`);
      this.connections += 1;
      let rest = "";
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        late.refresh();
        const blocks = (rest + chunk).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) this.#take(block);
      }
    } finally {
      clearTimeout(late);
    }
  }

  #take(block: string): void {
    const { view } = this.#options;
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const id = field("id");
    if (field("event") === "resync") view.resyncs.push(block);
    if (id === undefined) return;
    view.apply([JSON.parse(field("data") ?? "null") as SessionEvent]);
    this.#lastId = id;
    this.#silenceMs = SILENCE_MS;
  }
}
