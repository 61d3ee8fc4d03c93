/** All that a session remembers beside the transcript: a fold of the log, saved with the snapshot. */
import * as z from "zod";
import type { Json, SessionEvent } from "../protocol/index.ts";
import { Mailbox, MailboxJson } from "./mailbox.ts";
import { createRequestMemory, RequestMemoryJson, type RequestMemory } from "./request-memory.ts";
import { createRestartFacts, RestartJson, type RestartFacts } from "./restart-facts.ts";
import { Sends, SendsJson } from "./sends.ts";

/** Raised whenever the memory would come out otherwise for the same log. */
const MEMORY_VERSION = 1;

const MemoryJson = z.object({
  version: z.literal(MEMORY_VERSION),
  sends: SendsJson,
  mailbox: MailboxJson,
  requests: RequestMemoryJson,
  restart: RestartJson,
});

export interface Memory {
  readonly sends: Sends;
  readonly mailbox: Mailbox;
  readonly requests: RequestMemory;
  readonly restart: RestartFacts;
  apply(event: SessionEvent): void;
  toJson(): Json;
}

export function createMemory(): Memory {
  return assemble(new Sends(), new Mailbox(), createRequestMemory(), createRestartFacts());
}

/** Undefined when it is not a memory of this version. */
export function restoreMemory(saved: unknown): Memory | undefined {
  const parsed = MemoryJson.safeParse(saved);
  if (!parsed.success) return undefined;
  const { sends, mailbox, requests, restart } = parsed.data;
  return assemble(new Sends(sends), new Mailbox(mailbox), createRequestMemory(requests), createRestartFacts(restart));
}

function assemble(sends: Sends, mailbox: Mailbox, requests: RequestMemory, restart: RestartFacts): Memory {
  return {
    sends,
    mailbox,
    requests,
    restart,
    apply(event) {
      sends.apply(event);
      mailbox.apply(event);
      requests.apply(event);
      restart.apply(event);
    },
    toJson: () => ({
      version: MEMORY_VERSION,
      sends: sends.toJson(),
      mailbox: mailbox.toJson(),
      requests: requests.toJson(),
      restart: restart.toJson(),
    }),
  };
}
