/**
 * Redacts a session while it is written: event by event, with the secrets known from earlier events. Deltas are
 * emptied, because a secret may be split across them; the complete text follows at the end of its segment.
 */
import { homedir, userInfo } from "node:os";
import type { Json, SessionEvent } from "../../protocol/index.ts";
import { deltaKey } from "./redact/event-fields.ts";
import * as redaction from "./redact/redact.ts";
import { createBlobRedactor } from "./redact/redact-blobs.ts";
import { eachText } from "./redact/secret-survey.ts";

export interface LiveRedaction {
  /** In the order of the log, from its beginning. */
  redact(event: SessionEvent): Promise<SessionEvent>;
  /** Texts of anything else that leaves, such as an answer. */
  redactValue(value: Json): Json;
  /** By the hash in a redacted event; undefined for content that cannot be scanned. */
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
}

type ReadBlob = (sha256: string) => Promise<Uint8Array | undefined>;

export function createLiveRedaction(readBlob: ReadBlob): LiveRedaction {
  const own = { homes: [homedir()], users: [userInfo().username] };
  let redactor = redaction.createRedactor(own);
  let blobs = createBlobRedactor(redactor, readBlob);
  let events = redaction.createEventRedactor({ redactor, streamed: new Map(), names: new Map() });

  function beginWith(user: string): void {
    redactor = redaction.createRedactor({ ...own, users: [...own.users, user] });
    blobs = createBlobRedactor(redactor, readBlob);
    events = redaction.createEventRedactor({ redactor, streamed: new Map(), names: new Map() });
  }

  return {
    async redact(event) {
      const user = redaction.userIn(event);
      if (user !== undefined) beginWith(user);
      if (deltaKey(event) !== undefined) return events.redact({ ...event, text: "" } as SessionEvent, new Map());
      eachText(event, (text) => redactor.learn(text));
      const redacted = events.redact(event, await blobs.redactAll(event));
      // Roles on folders depend on it, and it is offered under its name.
      return event.type === "session_created" ? ({ ...redacted, cwd: event.cwd } as SessionEvent) : redacted;
    },
    redactValue: (value) => redactTexts(redactor, value),
    readBlob: (sha256) => blobs.read(sha256),
  };
}

function redactTexts(redactor: redaction.Redactor, value: Json): Json {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((one) => redactTexts(redactor, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redactTexts(redactor, one)]));
}
