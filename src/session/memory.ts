/** Session memory beside the transcript: a fold of the log, saved with the snapshot. */

import * as z from "zod";
import type { Json, SessionEvent } from "../protocol/index.ts";
import {
  ConsentsJson,
  createConsents,
  type Consents,
  createRequestMemory,
  RequestMemoryJson,
  type RequestMemory,
} from "./approvals/consents.ts";
import { ContextMemoryJson, createContextMemory, type ContextMemory } from "./context/memory.ts";
import { ExchangeMemory, ExchangeMemoryJson } from "./council/exchanges/memory.ts";
import { Mailbox, MailboxJson } from "./delivery/mailbox.ts";
import {
  createRememberedApprovals,
  RememberedApprovalsJson,
  type RememberedApprovals,
} from "./approvals/remembered-approvals.ts";
import { createRestartFacts, RestartJson, type RestartFacts } from "./recovery/restart-facts.ts";
import { Sends, SendsJson } from "./delivery/sends.ts";

/** Who started the discussion, and which system prompt each member's agent was last given. A fold of the log. */
const CouncilMemoryJson = z.object({
  clientId: z.string().optional(),
  briefs: z.array(z.tuple([z.string(), z.string()])),
  natives: z.array(z.tuple([z.string(), z.string()])),
});

interface CouncilMemory {
  apply(event: SessionEvent): void;
  /** The client whose message to all is discussed. */
  readonly clientId: string | undefined;
  /** Hash of the system prompt given to the member's current native session. */
  systemPromptHashOf(member: string): string | undefined;
  toJson(): Json;
}

function createCouncilMemory(saved?: z.infer<typeof CouncilMemoryJson>): CouncilMemory {
  let clientId = saved?.clientId;
  const promptHashes = new Map<string, string>(saved?.briefs);
  const natives = new Map<string, string>(saved?.natives);
  return {
    apply(event) {
      if (event.type === "user_message" && event.toAll && event.copiedFrom === undefined) clientId = event.clientId;
      else if (event.type === "turn_start" && event.brief !== undefined) promptHashes.set(event.member, event.brief);
      else if (event.type === "member_session") {
        // A new native session has not been given the prompt.
        const before = natives.get(event.member);
        if (before !== undefined && before !== event.nativeSessionId) promptHashes.delete(event.member);
        natives.set(event.member, event.nativeSessionId);
      } else if (event.type === "member_left" || event.type === "member_joined") {
        promptHashes.delete(event.member);
        natives.delete(event.member);
      } else if (event.type === "session_clear") {
        promptHashes.clear();
        natives.clear();
      }
    },
    get clientId() {
      return clientId;
    },
    systemPromptHashOf: (member) => promptHashes.get(member),
    toJson: () => ({
      ...(clientId === undefined ? {} : { clientId }),
      briefs: [...promptHashes],
      natives: [...natives],
    }),
  };
}

/** Raise whenever the memory would differ for the same log. */
const MEMORY_VERSION = 3;

const MemoryJson = z.object({
  version: z.literal(MEMORY_VERSION),
  sends: SendsJson,
  mailbox: MailboxJson,
  requests: RequestMemoryJson,
  /** Absent in older snapshots. */
  approvals: RememberedApprovalsJson.optional(),
  /** Absent in older snapshots. */
  consents: ConsentsJson.optional(),
  restart: RestartJson,
  /** Absent in older snapshots. */
  exchanges: ExchangeMemoryJson.optional(),
  council: CouncilMemoryJson,
  /** Absent in older snapshots. */
  contexts: ContextMemoryJson.optional(),
});

export interface Memory {
  readonly sends: Sends;
  readonly mailbox: Mailbox;
  readonly requests: RequestMemory;
  readonly approvals: RememberedApprovals;
  readonly consents: Consents;
  readonly restart: RestartFacts;
  readonly exchanges: ExchangeMemory;
  readonly council: CouncilMemory;
  readonly contexts: ContextMemory;
  apply(event: SessionEvent): void;
  toJson(): Json;
}

export function createMemory(): Memory {
  return assemble({
    sends: new Sends(),
    mailbox: new Mailbox(),
    requests: createRequestMemory(),
    approvals: createRememberedApprovals(),
    consents: createConsents(),
    restart: createRestartFacts(),
    exchanges: new ExchangeMemory(),
    council: createCouncilMemory(),
    contexts: createContextMemory(),
  });
}

/** Undefined for another version. */
export function restoreMemory(saved: unknown): Memory | undefined {
  const parsed = MemoryJson.safeParse(saved);
  if (!parsed.success) return undefined;
  const { sends, mailbox, requests, approvals, consents, restart, exchanges, council, contexts } = parsed.data;
  return assemble({
    sends: new Sends(sends),
    mailbox: new Mailbox(mailbox),
    requests: createRequestMemory(requests),
    approvals: createRememberedApprovals(approvals),
    consents: createConsents(consents),
    restart: createRestartFacts(restart),
    exchanges: new ExchangeMemory(exchanges),
    council: createCouncilMemory(council),
    contexts: createContextMemory(contexts),
  });
}

function assemble(folds: Omit<Memory, "apply" | "toJson">): Memory {
  const { sends, mailbox, requests, approvals, consents, restart, exchanges, council, contexts } = folds;
  return {
    ...folds,
    apply(event) {
      sends.apply(event);
      mailbox.apply(event);
      requests.apply(event);
      approvals.apply(event);
      consents.apply(event);
      restart.apply(event);
      exchanges.apply(event);
      council.apply(event);
      contexts.apply(event);
    },
    toJson: () => ({
      version: MEMORY_VERSION,
      sends: sends.toJson(),
      mailbox: mailbox.toJson(),
      requests: requests.toJson(),
      approvals: approvals.toJson(),
      consents: consents.toJson(),
      restart: restart.toJson(),
      exchanges: exchanges.toJson(),
      council: council.toJson(),
      contexts: contexts.toJson(),
    }),
  };
}
