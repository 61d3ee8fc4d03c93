/** Who began the discussion, and what each member's agent was last told of its place at the table. A fold of the log. */
import * as z from "zod";
import type { Json, SessionEvent } from "../../protocol/index.ts";

export const CouncilMemoryJson = z.object({
  clientId: z.string().optional(),
  briefs: z.array(z.tuple([z.string(), z.string()])),
  natives: z.array(z.tuple([z.string(), z.string()])),
});

export interface CouncilMemory {
  apply(event: SessionEvent): void;
  /** The client whose message to all is discussed. */
  readonly clientId: string | undefined;
  /** The hash of the brief that the member's present native session was given. */
  systemPromptHashOf(member: string): string | undefined;
  toJson(): Json;
}

export function createCouncilMemory(saved?: z.infer<typeof CouncilMemoryJson>): CouncilMemory {
  let clientId = saved?.clientId;
  const promptHashes = new Map<string, string>(saved?.briefs);
  const natives = new Map<string, string>(saved?.natives);
  return {
    apply(event) {
      if (event.type === "user_message" && event.toAll && event.copiedFrom === undefined) clientId = event.clientId;
      else if (event.type === "turn_start" && event.brief !== undefined) promptHashes.set(event.member, event.brief);
      else if (event.type === "member_session") {
        // Another native session has heard nothing of what the one before was told.
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
