/** Bodies and answers of the routes that have no counterpart in the protocol. */
import * as z from "zod";
import {
  AgentKind,
  Capabilities,
  DeliveryState,
  Json,
  MemberSpec,
  Outcome,
  Settings,
  TurnCause,
  UiRequestBody,
  Usage,
} from "../../protocol/index.ts";

/** Omitted fields get the server's defaults. */
export const NewSession = z.strictObject({
  cwd: z.string().max(4096).optional(),
  title: z.string().max(200).optional(),
  settings: Settings.partial().optional(),
  members: z.array(MemberSpec).max(64).optional(),
});

export const CreatedSession = z.object({ sessionId: z.string() });

const count = z.number().nonnegative();

const Totals = z.object({
  turns: count,
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
  /** Null when unknown. */
  costUsd: count.nullable(),
});

export const SessionUsage = z.object({
  totals: Totals,
  members: z.array(z.object({ name: z.string(), totals: Totals })),
});

const OpenRequest = z.object({
  requestId: z.string(),
  member: z.string(),
  turnId: z.string().optional(),
  toolCallId: z.string().optional(),
  seq: z.int(),
  ts: z.number(),
  request: UiRequestBody,
  timeoutMs: z.number(),
  default: Json,
});

export const OpenRequests = z.array(OpenRequest);
export const RequestsOfAll = z.array(OpenRequest.extend({ sessionId: z.string() }));

export const Rename = z.strictObject({ title: z.string().min(1).max(200) });
export const Archive = z.strictObject({ archived: z.boolean() });

/** `sessionId` is optional; with it, an answered request can be told from one that never existed. */
export const RequestAnswer = z.strictObject({
  result: Json,
  error: z.string().max(4096).nullable().optional(),
  by: z.string().min(1).max(64).optional(),
  sessionId: z.string().max(64).optional(),
});

export const Done = z.object({ seq: z.int().nonnegative() });

const RunTurn = z.object({
  turnId: z.string(),
  member: z.string(),
  cause: TurnCause,
  round: z.int().optional(),
  state: z.enum(["running", ...Outcome.options]),
  startedTs: z.number(),
  endedTs: z.number().optional(),
  reason: z.string().optional(),
  error: z
    .object({ code: z.string(), message: z.string(), hint: z.string().optional(), detail: z.string().optional() })
    .optional(),
  usage: Usage.optional(),
});

const RunFacts = z.object({
  runId: z.string().meta({ description: "Id of the message." }),
  sessionId: z.string(),
  state: z.enum(["waiting", "running", "ended"]),
  outcome: z
    .enum(["completed", "partly", "failed"])
    .optional()
    .meta({ description: "Of an ended run: whether all, some or none of its turns completed." }),
  text: z.string().meta({ description: "Text of the message." }),
  clientId: z.string().optional(),
  startedTs: z.number(),
  endedTs: z.number().optional(),
  members: z
    .array(z.object({ name: z.string(), state: DeliveryState, reason: z.string().optional() }))
    .meta({ description: "The addressees and the state of each delivery." }),
});

export const Run = RunFacts.extend({
  turns: z.array(RunTurn.extend({ text: z.string(), isCut: z.boolean() })),
});

/** Without the text of the turns. */
export const Runs = z.array(RunFacts.extend({ turns: z.array(RunTurn) }));

export const Members = z.array(
  z.object({
    name: z.string(),
    kind: AgentKind,
    model: z.string().optional(),
    seated: z.boolean(),
    muted: z.boolean(),
    state: z.enum(["idle", "waiting", "running"]),
    turnId: z.string().optional(),
    lastOutcome: Outcome.optional(),
    context: z
      .object({
        used: z.number(),
        window: z.number(),
        compactAt: z.number().optional(),
        measured: z.boolean(),
      })
      .optional(),
    capabilities: Capabilities,
  }),
);

/** An agent available on this machine, with the member spec it would join with. */
export const ListedAgent = MemberSpec.extend({
  foundBy: z.enum(["built-in", "configuration", "program", "key", "server"]),
  where: z.string(),
  canBeSeated: z.boolean(),
  whyNot: z.string().optional(),
  sitsDown: z.boolean().meta({ description: "Joins a new session by default." }),
});
export type ListedAgent = z.infer<typeof ListedAgent>;
export const Agents = z.array(ListedAgent);

export const Defaults = z.object({ cwd: z.string(), settings: Settings, members: z.array(MemberSpec) });

export const ImportResult = z.object({
  sessionId: z.string(),
  isNew: z.boolean().meta({ description: "False when the conversation was imported before." }),
  added: z.int().nonnegative().meta({ description: "Messages and turns added." }),
  warnings: z.array(z.string()).meta({ description: "What was damaged or left out." }),
});
export type ImportResult = z.infer<typeof ImportResult>;
