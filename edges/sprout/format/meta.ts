/** The file by which sprout lists a session, with the model fields of both generations of its readers. */
import type { Head } from "../../../src/transcript/index.ts";

export interface MetaFacts {
  readonly head: Head;
  readonly turns: number;
  readonly status: "idle" | "interrupted";
  readonly model: string;
}

export function metaText({ head, turns, status, model }: MetaFacts): string {
  const contexts = Object.values(head.members).flatMap(({ context }) => (context === undefined ? [] : [context]));
  const fullest = contexts.toSorted((a, b) => b.used - a.used)[0];
  const meta = {
    sessionId: head.sessionId,
    agentSpec: "root",
    model,
    selection: { kind: "inherit" },
    status,
    turns,
    contextTokens: fullest?.used ?? 0,
    contextWindowSize: fullest?.window ?? 0,
    createdAt: dateOf(head.createdTs),
    updatedAt: dateOf(head.updatedTs),
  };
  return `${JSON.stringify(meta, null, "\t")}\n`;
}

function dateOf(ts: number): string {
  return new Date(Number.isFinite(ts) && Math.abs(ts) < 8.64e15 ? ts : 0).toISOString();
}
