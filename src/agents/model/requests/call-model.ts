/**
 * One model request over HTTP with a streamed reply.
 * Resolves with a whole reply; rejects with a ModelError, or with the signal's reason once aborted. Redirects are not
 * followed; size and silence are limited; the connection is always released.
 */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../kit/clock.ts";
import { chatDialect } from "./chat-api.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Dialect, ModelRequest, Reply, ReplyPart, ReplyReader } from "./dialect.ts";
import type { ModelAgentLimits } from "../limits.ts";
import { ModelError } from "./model-error.ts";
import type { Api } from "./quirks.ts";
import { responsesDialect } from "./responses-api.ts";
import { chunkError, connectionError, statusError } from "./read-error.ts";
import { within } from "../../process/wait.ts";
import { createSseRecords } from "./sse-records.ts";
import { createStallWatch, type StallWatch } from "./stall-watch.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const DIALECTS: Readonly<Record<Api, Dialect>> = { chat: chatDialect, responses: responsesDialect };

export interface CallOptions {
  readonly endpoint: Endpoint;
  readonly limits: ModelAgentLimits;
  readonly clock: Clock;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  readonly onPart: (part: ReplyPart) => void;
  /** No data for a while, before the timeout. */
  readonly onQuiet: () => void;
}

export async function callModel(request: ModelRequest, options: CallOptions): Promise<Reply> {
  const { clock, limits, signal } = options;
  signal.throwIfAborted();
  const watch = createStallWatch({
    clock,
    limitMs: limits.firstByteMs,
    quietMs: limits.quietMs,
    onQuiet: options.onQuiet,
  });
  const builder = DIALECTS[request.quirks.api].reader(limits);
  try {
    return await readReply(request, { ...options, signal: AbortSignal.any([signal, watch.signal]) }, watch, builder);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const isComplete = builder.hasFinished && !(thrown instanceof ModelError);
    if (isComplete) return builder.done();
    throw watch.stalledMs === undefined
      ? asModelError(options.endpoint, thrown)
      : stalled(options.endpoint, watch.stalledMs);
  } finally {
    watch.over();
  }
}

async function readReply(
  request: ModelRequest,
  options: CallOptions,
  watch: StallWatch,
  builder: ReplyReader,
): Promise<Reply> {
  const { endpoint, limits } = options;
  const dialect = DIALECTS[request.quirks.api];
  const response = await options.fetch(`${endpoint.baseUrl}${dialect.path}`, {
    method: "POST",
    headers: { ...endpoint.headers, "content-type": "application/json", accept: "text/event-stream, application/json" },
    body: JSON.stringify(dialect.body(request)),
    redirect: "manual",
    signal: options.signal,
  });
  watch.alive(limits.firstByteMs);
  if (!response.ok) {
    const body = await readText(response, limits.errorBytesMax);
    const { status, headers } = response;
    throw statusError(endpoint, {
      status,
      headers,
      body: body.text,
      model: request.model,
      nowMs: options.clock.now(),
    });
  }
  const type = response.headers.get("content-type") ?? "";
  if (/html/i.test(type)) throw notAServer(endpoint, type);
  if (/json/i.test(type) && !/event-stream/i.test(type)) return readWhole(response, options, builder, request);
  return readStream(response, { ...options, model: request.model, watch, builder });
}

interface Streaming extends CallOptions {
  readonly model: string;
  readonly watch: StallWatch;
  readonly builder: ReplyReader;
}

async function readStream(response: Response, streaming: Streaming): Promise<Reply> {
  const { limits, watch, builder, endpoint } = streaming;
  const records = createSseRecords(limits.lineBytesMax);
  const decoder = new TextDecoder();
  let bytes = 0;
  const reader = readerOf(response);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      streaming.signal.throwIfAborted();
      bytes += read.value.length;
      if (bytes > limits.replyBytesMax) throw tooLarge(endpoint, limits.replyBytesMax);
      if (readRecords(records.push(decoder.decode(read.value, { stream: true })), streaming)) {
        await within(streaming.clock, limits.drainMs, readToEnd(reader));
        return builder.done();
      }
      if (records.isTooLong) throw tooLarge(endpoint, limits.lineBytesMax);
      watch.alive(builder.hasFinished ? limits.afterFinishMs : limits.silenceMs);
      // Yields, so that a fast server cannot starve other turns.
      await setImmediate();
    }
  } finally {
    cancelReader(reader);
  }
  if (readRecords(records.end(), streaming) || builder.hasFinished) return builder.done();
  throw broken(endpoint, "the stream ended before the reply did");
}

/** A drained connection is reused, which saves a handshake. Never rejects. */
async function readToEnd(reader: Reader): Promise<void> {
  try {
    while (!(await reader.read()).done) continue;
  } catch {
    // Cut after the reply was complete: only the connection is lost.
  }
}

/** True when the reply is over. */
function readRecords(records: readonly string[], { builder, endpoint, model, onPart }: Streaming): boolean {
  for (const record of records) {
    if (record === "[DONE]") return true;
    for (const part of builder.read(parseRecord(record, endpoint))) {
      if (part.type === "error") throw chunkError(endpoint, part.error, model);
      onPart(part);
    }
    if (builder.isOver) return true;
  }
  return false;
}

function parseRecord(record: string, endpoint: Endpoint): unknown {
  try {
    return JSON.parse(record);
  } catch (cause) {
    throw broken(endpoint, "a record of the stream is not JSON", cause);
  }
}

/** Some servers send the whole answer although a stream was requested. */
async function readWhole(
  response: Response,
  options: CallOptions,
  builder: ReplyReader,
  { quirks, model }: ModelRequest,
): Promise<Reply> {
  const { endpoint, limits, onPart } = options;
  const { text, isCut } = await readText(response, limits.replyBytesMax);
  if (isCut) throw tooLarge(endpoint, limits.replyBytesMax);
  const parsed = parseRecord(text, endpoint);
  for (const part of builder.read(parsed)) {
    if (part.type === "error") throw chunkError(endpoint, part.error, model);
    onPart(part);
  }
  if (!DIALECTS[quirks.api].isAnswer(parsed)) throw notAServer(endpoint, "JSON without an answer in it");
  return builder.done();
}

/** Reads at most so many bytes. */
export async function readText(response: Response, bytesMax: number): Promise<{ text: string; isCut: boolean }> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  const reader = readerOf(response);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const { value } = read;
      bytes += value.length;
      text += decoder.decode(value.subarray(0, Math.max(0, bytesMax - bytes + value.length)), { stream: true });
      if (bytes > bytesMax) return { text, isCut: true };
    }
    return { text, isCut: false };
  } finally {
    cancelReader(reader);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

function readerOf(response: Response): Reader {
  return (response.body ?? new Blob([]).stream()).getReader();
}

/** Not awaited: closing a hung connection may take long. */
function cancelReader(reader: Reader): void {
  reader.cancel().catch(() => {
    // Already broken.
  });
}

function asModelError(endpoint: Endpoint, thrown: unknown): ModelError {
  return thrown instanceof ModelError ? thrown : connectionError(endpoint, thrown);
}

function stalled(endpoint: Endpoint, silentMs: number): ModelError {
  return new ModelError({
    kind: "overloaded",
    code: "stalled",
    message: `${endpoint.shown} sent nothing for ${Math.round(silentMs / 1000)} s.`,
    hint: "Ask again, or choose another model.",
  });
}

function broken(endpoint: Endpoint, why: string, cause?: unknown): ModelError {
  const facts = {
    code: "stream_broken",
    message: `The reply of ${endpoint.shown} broke off: ${why}.`,
    hint: "Ask again.",
  };
  return new ModelError({ kind: "transient", ...facts }, { cause });
}

function tooLarge(endpoint: Endpoint, bytesMax: number): ModelError {
  const message = `${endpoint.shown} sent more than ${bytesMax} bytes for one reply, which is the limit.`;
  return new ModelError({ kind: "final", code: "too_large", message, hint: "Ask for something smaller." });
}

function notAServer(endpoint: Endpoint, actual: string): ModelError {
  const message = `${endpoint.shown} is not a model server: it answered with ${actual.slice(0, 80)}.`;
  return new ModelError({
    kind: "final",
    code: "not_a_model_server",
    message,
    hint: "Check the member's baseUrl; it usually ends in /v1.",
  });
}
