/** One session as a file for people or for programs, in pieces: however long it is, little of it is in memory at a time. */
import { shortId } from "../../kit/short-id.ts";
import { openLogReader, type LogReader } from "../../log/index.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import { loadHtmlExport, loadMarkdownExport, readable, sessionLines } from "../../wires/index.ts";
import { plainSource, type ExportSource } from "./export-source.ts";
import { flowOf } from "./flow.ts";
import { blobsIn } from "./redact/redact.ts";
import { redactedSource, type RedactOptions } from "./redacted-source.ts";

export type ExportFormat = "markdown" | "html" | "jsonl";

export interface ExportOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly format: ExportFormat;
  readonly redact?: RedactOptions;
}

export interface SessionExport {
  readonly fileName: string;
  readonly contentType: string;
  /** To be read once, or closed. */
  readonly chunks: AsyncGenerator<string, void, void>;
  /** What the person should know, after all was read. */
  report(): readonly string[];
}

const TYPES: Readonly<Record<ExportFormat, { readonly ending: string; readonly contentType: string }>> = {
  markdown: { ending: "md", contentType: "text/markdown; charset=utf-8" },
  html: { ending: "html", contentType: "text/html; charset=utf-8" },
  jsonl: { ending: "jsonl", contentType: "application/x-ndjson; charset=utf-8" },
};

const CHUNK_CHARS_MIN = 64 * 1024;
const IMAGE_BYTES_MAX = 4 * 1024 * 1024;

/** Rejects with "unknown_session" when there is none. */
export async function exportSession(options: ExportOptions): Promise<SessionExport> {
  const { dataDir, sessionId, format, redact } = options;
  const reader = await openLogReader({ dataDir, sessionId });
  try {
    const source = await openSource(reader, redact);
    const missing = { count: 0 };
    const { ending, contentType } = TYPES[format];
    return {
      fileName: `${fileStem(source.head.title, sessionId)}.${ending}`,
      contentType,
      chunks: closing(coalesce(format === "jsonl" ? linesOf(source, missing) : documentOf(source, format)), () =>
        reader.close(),
      ),
      report: () => [
        ...source.report(),
        ...(missing.count === 0 ? [] : [`${missing.count} attachments or outputs are no longer there.`]),
      ],
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

export async function openSource(reader: LogReader, redact: RedactOptions | undefined): Promise<ExportSource> {
  return redact === undefined ? plainSource(reader) : redactedSource(reader, redact);
}

async function* documentOf(source: ExportSource, format: "markdown" | "html"): AsyncGenerator<string, void, void> {
  const session = { head: source.head, remarks: source.report() };
  if (format === "markdown") {
    const { createMarkdownWriter } = await loadMarkdownExport();
    const writer = createMarkdownWriter(session);
    yield writer.begin();
    for await (const item of flowOf(source)) yield writer.item(item);
    yield writer.end();
  } else {
    const { createHtmlWriter } = await loadHtmlExport();
    const writer = createHtmlWriter(session);
    yield writer.begin();
    for await (const item of flowOf(source)) yield writer.item(item, await imagesOf(source, item));
    yield writer.end();
  }
}

async function imagesOf(source: ExportSource, item: readable.FlowItem): Promise<ReadonlyMap<string, Uint8Array>> {
  const images = new Map<string, Uint8Array>();
  if (item.kind !== "user") return images;
  for (const { mime, blob } of item.message.attachments) {
    if (!readable.isImage(mime) || blob.bytes > IMAGE_BYTES_MAX) continue;
    const bytes = await source.blob(blob.sha256);
    if (bytes !== undefined) images.set(blob.sha256, bytes);
  }
  return images;
}

async function* linesOf(source: ExportSource, missing: { count: number }): AsyncGenerator<string, void, void> {
  const { sessionId, title, messageCount: messages, seq: lastSeq } = source.head;
  const redacted = source.isRedacted ? { redacted: true } : {};
  yield sessionLines.headerLine({ sessionId, title, messages, lastSeq, ...redacted });
  const written = new Set<string>();
  let count = 0;
  for await (const events of source.events()) {
    for (const event of events) {
      yield* blobsOf(source, event, written, missing);
      yield sessionLines.eventLine(event);
      count += 1;
    }
  }
  yield sessionLines.endLine(count);
}

async function* blobsOf(
  source: ExportSource,
  event: SessionEvent,
  written: Set<string>,
  missing: { count: number },
): AsyncGenerator<string, void, void> {
  for (const { sha256 } of blobsIn(event)) {
    if (written.has(sha256)) continue;
    written.add(sha256);
    const bytes = await source.blob(sha256);
    if (bytes !== undefined) yield* sessionLines.blobLines(sha256, bytes);
    else if (source.isLeftOut(sha256)) yield sessionLines.leftOutLine(sha256, "redacted");
    else {
      missing.count += 1;
      yield sessionLines.leftOutLine(sha256, "missing");
    }
  }
}

/** Joins what is small. */
async function* coalesce(texts: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let chunk = "";
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARS_MIN) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** Lets the log go at the end, however it comes: also when nobody ever asked for a piece. */
function closing(
  chunks: AsyncGenerator<string, void, void>,
  close: () => Promise<void>,
): AsyncGenerator<string, void, void> {
  let closed: Promise<void> | undefined;
  const settle = async <Result extends IteratorResult<string, void>>(next: Promise<Result>): Promise<Result> => {
    try {
      const result = await next;
      if (result.done === true) await (closed ??= close());
      return result;
    } catch (error) {
      await (closed ??= close());
      throw error;
    }
  };
  return {
    next: () => settle(chunks.next()),
    return: () => settle(chunks.return()),
    throw: (error: unknown) => settle(chunks.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await this.return();
    },
  };
}

const STEM_CHARS_MAX = 60;

function fileStem(title: string, sessionId: string): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, STEM_CHARS_MAX)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? sessionId : `${slug}-${shortId(sessionId)}`;
}
