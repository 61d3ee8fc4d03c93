/**
 * A session without keys, tokens, home paths and chosen terms. Streamed, truncated and stored texts are redacted as
 * parts of the whole text; binary content cannot be scanned and is left out.
 */
import { homedir, userInfo } from "node:os";
import type { LogReader } from "../../log/index.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import * as redaction from "./redact/redact.ts";
import { createBlobRedactor, textOf } from "./redact/redact-blobs.ts";
import { foldHead, type ExportSource } from "./export-source.ts";

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
  const blobs = createBlobRedactor(redactor, (sha256) => reader.blobs.get(sha256));

  async function* events(): AsyncGenerator<SessionEvent[], void, void> {
    const eventRedactor = redaction.createEventRedactor({ redactor, streamed, names });
    for await (const batch of reader.read(0)) {
      const redacted: SessionEvent[] = [];
      for (const event of batch) {
        redacted.push(eventRedactor.redact(event, await blobs.redactAll(event)));
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
    blob: (sha256) => blobs.read(sha256),
    isLeftOut: (sha256) => blobs.leftOut.has(sha256),
    report: () => reportOf(counts, blobs.leftOut.size, redactor.unredacted),
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

/** Users of the session's directory, which may have been on another machine. */
async function usersIn(reader: LogReader): Promise<string[]> {
  for await (const events of reader.read(0))
    return events.flatMap((event) => redaction.userIn(event) ?? []).slice(0, 1);
  return [];
}
