/**
 * Where in the log each member's context begins: at its first turn, at the oldest turn kept by the last compaction, or
 * at the oldest not forgotten. A fold of the log.
 */
import * as z from "zod";
import type { Json, SessionEvent } from "../../protocol/index.ts";

/** Compactions that can be undone one after another; older ones are final. */
const FRAMES_MAX = 16;

const Frame = z.object({
  /** Nothing before it is in the context, except pinned turns. */
  firstSeq: z.number(),
  /** The first turn of the context; absent: this member's first from `firstSeq` on. */
  firstTurnId: z.string().optional(),
  /** The compaction that created it; absent for the beginning. */
  compaction: z.object({ id: z.string(), seq: z.number(), before: z.number(), after: z.number() }).optional(),
});
export type ContextFrame = z.infer<typeof Frame>;

const MemberContext = z.object({ frames: z.array(Frame), isUndone: z.boolean() });
export const ContextMemoryJson = z.object({
  members: z.array(z.tuple([z.string(), MemberContext])),
  starts: z.array(z.tuple([z.string(), z.number()])),
});

export interface ContextMemory {
  apply(event: SessionEvent): void;
  /** Undefined for a member without context in the log. */
  of(member: string): { readonly frame: ContextFrame; readonly isUndone: boolean } | undefined;
  toJson(): Json;
}

export function createContextMemory(saved?: z.infer<typeof ContextMemoryJson>): ContextMemory {
  const members = new Map(saved?.members);
  /** Start of each member's last turn. */
  const starts = new Map(saved?.starts);

  function ofEntry(event: Extract<SessionEvent, { type: "context_entry" }>): void {
    const { member, entry } = event;
    const frames = members.get(member)?.frames ?? [{ firstSeq: starts.get(member) ?? event.seq }];
    const last = frames.at(-1);
    if (!members.has(member)) members.set(member, { frames, isUndone: false });
    if (entry?.kind !== "forgot" || last === undefined || entry.firstKeptTurnId === undefined) return;
    last.firstTurnId = entry.firstKeptTurnId;
    if (entry.firstKeptSeq !== undefined) last.firstSeq = entry.firstKeptSeq;
  }

  function compacted(event: Extract<SessionEvent, { type: "compaction" }>): void {
    const context = members.get(event.member);
    if (context === undefined || event.native === true) return;
    const { id, seq, before, after, firstKeptSeq, firstKeptTurnId } = event;
    context.frames.push({
      firstSeq: firstKeptSeq,
      ...(firstKeptTurnId === undefined ? {} : { firstTurnId: firstKeptTurnId }),
      compaction: { id, seq, before, after },
    });
    if (context.frames.length > FRAMES_MAX) {
      // The oldest known compaction becomes the final beginning; it keeps its summary.
      context.frames.shift();
    }
    context.isUndone = false;
  }

  return {
    apply(event) {
      if (event.type === "turn_start") {
        if (event.depth === 0) starts.set(event.member, event.seq);
      } else if (event.type === "context_entry") ofEntry(event);
      else if (event.type === "compaction") compacted(event);
      else if (event.type === "compaction_undone") {
        const context = members.get(event.member);
        if (context === undefined || context.frames.length < 2) return;
        context.frames.pop();
        context.isUndone = true;
      } else if (event.type === "member_left" || event.type === "member_joined") members.delete(event.member);
      else if (event.type === "session_clear") members.clear();
    },
    of(member) {
      const context = members.get(member);
      const frame = context?.frames.at(-1);
      return context === undefined || frame === undefined ? undefined : { frame, isUndone: context.isUndone };
    },
    toJson: () => ({ members: [...members] as Json, starts: [...starts] }),
  };
}
