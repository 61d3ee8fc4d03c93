/** Frames of a host as schemas, for the published document only: a client checks their shape itself. */
import * as z from "zod";
import { Ack } from "./commands.ts";
import { Reply, SessionSummary, StoreState, type HostFrame } from "./frames.ts";

const sessionId = z.string();
const reason = z.string();

/** Made when the document is asked for: every command line loads this file. */
export const hostFrameSchemas = (): Readonly<Record<HostFrame["frame"], z.ZodType>> => ({
  welcome: z
    .object({ frame: z.literal("welcome"), protocol: z.int(), version: z.string(), hostId: z.string() })
    .describe("The answer to hello."),
  events: z
    .object({
      frame: z.literal("events"),
      sessionId,
      events: z.array(z.looseObject({ seq: z.int().positive(), type: z.string() })),
    })
    .describe("Events of a subscribed session, in the order of seq. Skip unknown types."),
  ack: z.object({ frame: z.literal("ack"), sessionId, ack: Ack }).describe("The answer to a command."),
  reply: Reply.describe("The answer to every other frame with an id; to subscribe it is the end of the log."),
  sessions: z
    .object({
      frame: z.literal("sessions"),
      isWhole: z.boolean(),
      changed: z.array(SessionSummary),
      gone: z.array(z.string()),
    })
    .describe("After follow_list: first all sessions, then changes."),
  heartbeat: z
    .object({ frame: z.literal("heartbeat"), sessionId, epoch: z.int(), seq: z.int() })
    .describe("The end of the log, after a quiet interval."),
  resync: z
    .object({ frame: z.literal("resync"), sessionId, reason })
    .describe(
      "The subscription has ended: the cursor is unknown, the client was too slow, or the session was deleted.",
    ),
  store: z
    .object({ frame: z.literal("store"), sessionId, state: StoreState, message: z.string() })
    .describe("Whether the log can be written."),
  shutdown: z.object({ frame: z.literal("shutdown"), reason }).describe("The connection is about to close."),
});
