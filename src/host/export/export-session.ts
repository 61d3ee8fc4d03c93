/** Exports one session as a stream of text, so that memory stays bounded whatever its length. */
import { shortId } from "../../kit/short-id.ts";
import { plural } from "../../kit/text/format.ts";
import type { SeenAs } from "../../protocol/index.ts";
import { openLogReader, type LogReader } from "../../log/index.ts";
import { plainSource, type ExportSource } from "./export-source.ts";
import { redactedSource, type RedactOptions } from "./redacted-source.ts";

/** An export format, written as a stream of text. */
export interface Exporter {
  readonly name: string;
  /** In help texts: "Markdown". */
  readonly label: string;
  /** File name endings; the first one is used for new files. */
  readonly endings: readonly string[];
  readonly contentType: string;
  readonly load: () => Promise<WriteExport>;
}

/** Calls `onMissing` for each attachment or output that is no longer stored. */
export type WriteExport = (source: ExportSource, onMissing: () => void) => AsyncIterable<string>;

export interface ExportOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly exporter: Exporter;
  readonly redact?: RedactOptions;
  /** Perspective of the reader, on a team's server. */
  readonly seenAs?: SeenAs;
}

export interface SessionExport {
  readonly fileName: string;
  readonly contentType: string;
  /** To be read once, or closed. */
  readonly chunks: AsyncGenerator<string, void, void>;
  /** Remarks for the user; complete once everything was read. */
  report(): readonly string[];
}

const CHUNK_CHARS_MIN = 64 * 1024;

/** Rejects with "unknown_session" when there is none. */
export async function exportSession(options: ExportOptions): Promise<SessionExport> {
  const { dataDir, sessionId, ...how } = options;
  return await exportLog(await openLogReader({ dataDir, sessionId }), how);
}

/** Closes the reader at the end. */
export async function exportLog(
  reader: LogReader,
  { exporter, redact, seenAs }: Pick<ExportOptions, "exporter" | "redact" | "seenAs">,
): Promise<SessionExport> {
  const { sessionId } = reader;
  try {
    const opened = await openSource(reader, redact);
    const source = seenAs === undefined ? opened : { ...opened, seenAs };
    const write = await exporter.load();
    let missing = 0;
    const texts = write(source, () => (missing += 1));
    return {
      fileName: `${fileStem(source.head.title, sessionId)}${exporter.endings[0] ?? ""}`,
      contentType: exporter.contentType,
      chunks: closing(coalesce(texts), () => reader.close()),
      report: () => [
        ...source.report(),
        ...(missing === 0
          ? []
          : [`${plural(missing, "attachment or output is", "attachments or outputs are")} no longer stored.`]),
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

/** Joins small texts. */
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

/** Closes the log at the end, also when nothing was ever read. */
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
