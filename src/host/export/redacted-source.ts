/**
 * A session without keys, tokens, home paths and chosen terms. Streamed, truncated and stored texts are redacted as
 * parts of the whole text; binary content cannot be scanned and is left out.
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { homedir, userInfo } from "node:os";
import type { LogReader } from "../../log/index.ts";
import type { BlobRef, SessionEvent } from "../../protocol/index.ts";
import * as redaction from "./redact/redact.ts";
import { foldHead, type ExportSource } from "./export-source.ts";

const CHUNK_CHARS = 64 * 1024;

export interface RedactOptions {
  /** In addition to what is always redacted. */
  readonly terms: readonly string[];
  /** Home of the exporting user; by default that of this process. */
  readonly home?: string;
  readonly user?: string;
}

export async function redactedSource(reader: LogReader, options: RedactOptions): Promise<ExportSource> {
  const redactor = redaction.createRedactor({
    homes: [options.home ?? homedir()],
    users: [...new Set([options.user ?? userInfo().username, ...(await usersIn(reader))])],
    terms: options.terms,
  });
  const streamed = await surveyOf(reader, redactor);
  const names = new Map<string, string>();
  const leftOut = new Set<string>();
  /** Original hash by the hash of the redacted text. */
  const originals = new Map<string, string>();

  async function redactBlob(ref: BlobRef): Promise<redaction.RedactedBlob> {
    const text = textOf(await reader.blobs.get(ref.sha256));
    if (text === undefined) {
      leftOut.add(ref.sha256);
      return { ref: { ...ref, ...excerpts(ref, (part) => redactor.redact(part)) } };
    }
    const ranges = rangesIn(text, redactor);
    const whole = { text, ranges };
    if (ranges.length === 0) return { ref, whole };
    const bytes = Buffer.from(redaction.applyRanges(text, ranges));
    const sha256 = hashOf(bytes);
    originals.set(sha256, ref.sha256);
    const cut = excerpts(ref, (part) => redaction.redactExcerpt(part, whole, (middle) => redactor.redact(middle)));
    return { ref: { ...ref, sha256, bytes: bytes.length, ...cut }, whole };
  }

  async function* events(): AsyncGenerator<SessionEvent[], void, void> {
    const eventRedactor = redaction.createEventRedactor({ redactor, streamed, names });
    for await (const batch of reader.read(0)) {
      const redacted: SessionEvent[] = [];
      for (const event of batch) {
        const blobs = new Map<string, redaction.RedactedBlob>();
        for (const ref of redaction.blobsIn(event)) blobs.set(ref.sha256, await redactBlob(ref));
        redacted.push(eventRedactor.redact(event, blobs));
      }
      yield redacted;
    }
  }

  const head = await foldHead(reader.sessionId, events());
  // The counts grow with every pass over the events; only one pass is exported.
  const counts = { ...redactor.counts };
  return {
    head,
    events,
    async blob(sha256) {
      if (leftOut.has(sha256)) return undefined;
      const bytes = await reader.blobs.get(originals.get(sha256) ?? sha256);
      const text = originals.has(sha256) ? textOf(bytes) : undefined;
      return text === undefined ? bytes : Buffer.from(redaction.applyRanges(text, rangesIn(text, redactor)));
    },
    isLeftOut: (sha256) => leftOut.has(sha256),
    report: () => reportOf(counts, leftOut.size, redactor.unredacted),
    isRedacted: true,
  };
}

/** Two passes over the log: first the secrets, then their ranges in streamed texts. */
async function surveyOf(
  reader: LogReader,
  redactor: redaction.Redactor,
): Promise<ReadonlyMap<string, readonly redaction.Range[]>> {
  const survey = redaction.createSurvey(redactor);
  for await (const events of reader.read(0)) {
    for (const event of events) {
      survey.learn(event);
      for (const { sha256 } of redaction.blobsIn(event)) {
        const text = textOf(await reader.blobs.get(sha256));
        if (text !== undefined) redactor.learn(text);
      }
    }
  }
  for await (const events of reader.read(0)) for (const event of events) survey.scan(event);
  return survey.end();
}

function reportOf(counts: redaction.RedactionCounts, leftOut: number, unredacted: readonly string[]): string[] {
  const { secret, home, user, word } = counts;
  const sum = secret + home + user + word;
  const kinds = [`${secret} keys and tokens`, `${home} home paths`, `${user} user names`, `${word} chosen words`].join(
    ", ",
  );
  const files = leftOut === 0 ? [] : [`${leftOut} binary attachments could not be scanned and were left out.`];
  return [`Redacted: ${sum} places were replaced (${kinds}).`, ...files, ...unredacted];
}

function excerpts(ref: BlobRef, redact: (part: string) => string): Pick<BlobRef, "head" | "tail"> {
  return {
    ...(ref.head === undefined ? {} : { head: redact(ref.head) }),
    ...(ref.tail === undefined ? {} : { tail: redact(ref.tail) }),
  };
}

function rangesIn(text: string, redactor: redaction.Redactor): redaction.Range[] {
  const stream = redaction.createRangeStream((part) => redactor.find(part));
  for (let at = 0; at < text.length; at += CHUNK_CHARS) stream.push(text.slice(at, at + CHUNK_CHARS));
  return stream.end();
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes !== undefined && isUtf8(bytes) && !bytes.includes(0) ? Buffer.from(bytes).toString("utf8") : undefined;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Users of the session's directory, which may have been on another machine. */
async function usersIn(reader: LogReader): Promise<string[]> {
  for await (const events of reader.read(0)) {
    for (const event of events) {
      if (event.type !== "session_created") continue;
      const [, user] = /^(?:\/home\/|\/Users\/|[A-Za-z]:\\Users\\)([^/\\]+)/.exec(event.cwd) ?? [];
      return user === undefined ? [] : [user];
    }
    return [];
  }
  return [];
}
