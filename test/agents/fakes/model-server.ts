/**
 * A model server for tests, over real HTTP on loopback: it answers what it is scripted to, byte by byte where that
 * matters, and keeps what it was asked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What a server does, one after the other. Without `drop`, `hang` or `status` it ends the response by itself. */
export type Step =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly data: unknown }
  | { readonly raw: string }
  /** Goes on when this resolves. */
  | { readonly wait: Promise<unknown> }
  | { readonly type: string }
  /** Cuts the connection. */
  | { readonly drop: true }
  /** Leaves it open for good. */
  | { readonly hang: true };

export interface RequestMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly model: string;
  readonly messages: readonly RequestMessage[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
  readonly body: Readonly<Record<string, unknown>>;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: ModelRequest[];
  /** One for each question to come; the last one stays. */
  play(...scripts: (readonly Step[])[]): void;
  /** For servers that answer by what they are asked. */
  answer(choose: (requests: ModelRequest) => readonly Step[]): void;
  models(list: unknown): void;
  /** How many connections were made to it. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export async function startModelServer(options: { isOfTest?: boolean } = {}): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let scripts: (readonly Step[])[] = [];
  let choose = (_asked: ModelRequest): readonly Step[] =>
    (scripts.length > 1 ? scripts.shift() : scripts[0]) ?? [...text("ok")];
  let models: unknown = { object: "list", data: [] };
  const server = createServer((request, response) => {
    void handle(request, response);
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "GET") return json(response, 200, models);
    const body = await readBody(request);
    const one = {
      ...readModelRequest(request, body),
      closed: new Promise<void>((resolve) => response.once("close", resolve)),
    };
    requests.push(one);
    await perform(response, choose(one));
  };
  let connections = 0;
  server.on("connection", () => void (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  if (options.isOfTest !== false) onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    play: (...given) => void (scripts = given),
    answer: (given) => void (choose = given),
    models: (list) => void (models = list),
    connections: () => connections,
    close,
  };
}

async function perform(response: ServerResponse, steps: readonly Step[]): Promise<void> {
  const head = steps.find((step) => "type" in step);
  const type = head?.type ?? "text/event-stream";
  for (const step of steps) {
    if (response.destroyed) return;
    if ("status" in step) return json(response, step.status, step.body ?? {}, step.headers);
    if ("type" in step) continue;
    if ("hang" in step) return begin(response, type);
    if ("drop" in step) {
      begin(response, type);
      // What was written must be on its way before the connection is cut.
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.destroy();
      return;
    }
    if ("wait" in step) {
      begin(response, type);
      await step.wait;
    } else {
      begin(response, type);
      response.write("raw" in step ? step.raw : `data: ${JSON.stringify(step.data)}\n\n`);
    }
  }
  begin(response, type);
  response.end();
}

function begin(response: ServerResponse, type: string): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": type }).flushHeaders();
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString("utf8")) as Record<string, unknown>;
}

function readModelRequest(request: IncomingMessage, body: Record<string, unknown>): Omit<ModelRequest, "closed"> {
  return {
    path: request.url ?? "",
    headers: request.headers,
    model: String(body["model"]),
    messages: body["messages"] as RequestMessage[],
    tools: (body["tools"] ?? []) as ModelRequest["tools"],
    body,
  };
}

export const DONE: Step = { raw: "data: [DONE]\n\n" };

export function delta(delta: unknown, finish: string | null = null): Step {
  return { data: { choices: [{ index: 0, delta, finish_reason: finish }] } };
}

export function usage(input: number, output: number): Step {
  return { data: { choices: [], usage: { prompt_tokens: input, completion_tokens: output } } };
}

/** A whole answer in pieces. */
export function text(...pieces: readonly string[]): Step[] {
  return [...pieces.map((content) => delta({ content })), delta({}, "stop"), usage(10, 2), DONE];
}

export interface CallScript {
  readonly name: string;
  readonly args?: unknown;
  readonly id?: string;
}

/** Calls of tools, in one answer. */
export function calls(...list: readonly CallScript[]): Step[] {
  return [
    ...list.map(({ name, args = {}, id }, index) =>
      delta({
        tool_calls: [
          {
            index,
            id: id ?? `call_${index}`,
            type: "function",
            function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
          },
        ],
      }),
    ),
    delta({}, "tool_calls"),
    usage(10, 2),
    DONE,
  ];
}
