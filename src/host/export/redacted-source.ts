/**
 * A session without keys, tokens, home paths and chosen terms. Streamed, truncated and stored texts are redacted as
 * parts of the whole text; binary content cannot be scanned and is left out.
 */
import { homedir, userInfo } from "node:os";
import type { LogReader } from "../../log/index.ts";
import { formatList, plural } from "../../kit/text/format.ts";
import type { SessionEvent } from "../../protocol/index.ts";
import * as redaction from "./redact/redact.ts";
import { createBlobRedactor, textOf } from "./redact/redact-blobs.ts";
import { foldHead, type ExportSource } from "./export-source.ts";

export interface RedactOptions {
  /** Words to redact in addition to keys, tokens, paths and user names. */
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
  const kinds = [
    ...(secret === 0 ? [] : [plural(secret, "key or token", "keys and tokens")]),
    ...(home === 0 ? [] : [plural(home, "home path")]),
    ...(user === 0 ? [] : [plural(user, "user name")]),
    ...(word === 0 ? [] : [plural(word, "chosen word")]),
  ];
  const what = kinds.length === 0 ? "Nothing to redact was found." : `Redacted ${formatList(kinds)}.`;
  const could =
    leftOut === 1 ? "attachment that could not be scanned was" : "attachments that could not be scanned were";
  const files = leftOut === 0 ? [] : [`${leftOut} binary ${could} left out.`];
  return [what, ...files, ...unredacted];
}

/** Users of the session's directory, which may have been on another machine. */
async function usersIn(reader: LogReader): Promise<string[]> {
  for await (const events of reader.read(0))
    return events.flatMap((event) => redaction.userIn(event) ?? []).slice(0, 1);
  return [];
}
