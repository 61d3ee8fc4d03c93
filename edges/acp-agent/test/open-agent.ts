/** The agent in this process: lines in, frames out, neither validated. */
import { join } from "node:path";
import { EditorStream } from "../editor-stream.ts";
import { createAcpAgent } from "../agent.ts";
import type { AgentFactory } from "../../../src/agents/index.ts";
import type { Client, CreateRequest } from "../../../src/client/index.ts";
import { createHost, type Host } from "../../../src/host/index.ts";
import { connect, until } from "../../../test/host/open-host.ts";
import { createScriptedMembers } from "../../../test/wires/scripted-member.ts";
import { wireSession } from "../../../test/wires/wire-session.ts";

export interface OpenAgent {
  readonly host: Host;
  readonly client: Client;
  readonly frames: readonly unknown[];
  write(text: string): Promise<void>;
  /** Index of the first matching frame at or after `from`. */
  sees(isIt: (frame: unknown) => boolean, from?: number): Promise<number>;
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly factory?: AgentFactory;
  /** Pauses reading until it resolves. */
  readonly sleep?: () => Promise<void> | undefined;
}

/** The agent over a pair of streams: `input` is its stdin, `output` its stdout. */
export function startAgent(client: Client, table: CreateRequest) {
  const [stdin, stdout] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()];
  const { app, settle } = createAcpAgent({ client, version: "0", warn: () => {}, createTemplate: async () => table });
  const connection = app.connect(new EditorStream(stdout.writable, stdin.readable));
  return {
    input: stdin.writable,
    output: stdout.readable,
    leave: async () => {
      connection.close();
      await settle();
    },
  };
}

export async function openAgent(cwd: string, options: AgentOptions = {}): Promise<OpenAgent> {
  const { factory: agentFactory = createScriptedMembers, sleep = () => undefined } = options;
  const host = await createHost({ dataDir: join(cwd, "data"), agentFactory, version: "0" });
  const client = await connect(host);
  const { input, output, leave } = startAgent(client, wireSession(cwd, ["ling"]));
  const writer = input.getWriter();
  const frames: unknown[] = [];
  void read(output, sleep, (frame) => frames.push(frame));
  return {
    host,
    client,
    frames,
    write: (text) => writer.write(new TextEncoder().encode(text)),
    async sees(isIt, from = 0) {
      let at = -1;
      await until(`a frame; the last is ${JSON.stringify(frames.at(-1))}`, () => {
        at = frames.findIndex((frame, index) => index >= from && isIt(frame));
        return at !== -1;
      });
      return at;
    },
    async close() {
      await leave();
      client.close();
      await host.close();
    },
  };
}

async function read(
  stream: ReadableStream<Uint8Array>,
  sleep: () => Promise<void> | undefined,
  hear: (frame: unknown) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) hear(JSON.parse(line));
    await sleep();
  }
}
