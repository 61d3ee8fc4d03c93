/** A server in this process for the saved session of a data directory; its members stream at a given pace. */
import { rooms } from "./product.ts";
import { NO_CAPABILITIES } from "../../src/protocol/index.ts";
import { SESSION, SETTINGS } from "./session-drafts.ts";

type Rooms = Awaited<ReturnType<typeof rooms>>;
type HostOptions = Parameters<Rooms["createHost"]>[0];
type PageFiles = Parameters<Rooms["startServer"]>[0]["pageFiles"];
type Agent = ReturnType<HostOptions["agentFactory"]>;

const TICK_MS = 5;

/** Answer of a member to every message. */
export interface Speech {
  readonly text: string;
  readonly deltaChars: number;
  readonly deltasPerSecond: number;
}

export interface ServedSession {
  readonly url: string;
  readonly token: string;
  /** The local socket of its host. */
  readonly socket: string;
  /** Headers that authenticate a request. */
  readonly headers: Readonly<Record<string, string>>;
  say(text: string): Promise<void>;
}

export async function serveSession(options: {
  dataDir: string;
  version: string;
  speech: Speech;
  pageFiles?: PageFiles;
}): Promise<ServedSession> {
  const { createHost, startServer } = await rooms();
  const { dataDir, version, speech, pageFiles = [] } = options;
  const host = await createHost({ dataDir, version, agentFactory: () => createSpeaker(speech) });
  const defaults = { cwd: dataDir, settings: { ...SETTINGS, order: [] }, members: [] };
  const { url, token } = await startServer({ host, pageFiles, defaults, port: 0, version });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    url,
    token,
    socket: host.socketPath,
    headers,
    async say(text) {
      const body = JSON.stringify({ type: "send", commandId: text, text, clientMessageId: text });
      await fetch(`${url}/v1/sessions/${SESSION}/commands`, { method: "POST", headers, body });
    },
  };
}

function createSpeaker({ text, deltaChars, deltasPerSecond }: Speech): Agent {
  let up: Parameters<Agent["start"]>[0] = () => {};
  return {
    capabilities: { ...NO_CAPABILITIES, keepsContext: true },
    start: async (to) => void (up = to),
    send(input) {
      if (input.kind !== "turn") return;
      const begun = performance.now();
      let said = 0;
      const timer = setInterval(() => {
        const due = Math.floor(((performance.now() - begun) * deltasPerSecond) / 1_000);
        for (; said < due && said * deltaChars < text.length; said += 1)
          up({ type: "text_delta", text: text.slice(said * deltaChars, (said + 1) * deltaChars) });
        if (said * deltaChars < text.length) return;
        clearInterval(timer);
        up({ type: "turn_done", turnId: input.turnId, outcome: "completed" });
      }, TICK_MS);
    },
    interrupt() {},
    answer() {},
    close: async () => {},
  };
}
