/**
 * `state.json` and `sessions/<agent>.json`: files that other programs change too. Updates are functions of the current
 * content; unknown keys stay.
 */
import { encodeDate } from "./dates.ts";
import type { JsonObject } from "./json-file.ts";

export function withCurrentThread(state: JsonObject, thread: string, branch: string): JsonObject {
  return { branch, ...state, current_thread: thread };
}

export interface AgentStatus {
  readonly name: string;
  readonly status: "working" | "idle" | "failed";
  readonly thread: string;
  /** Process in which the member works; absent when idle. */
  readonly pid: number | undefined;
  readonly backend: string;
  readonly ts: number;
}

export function withAgentStatus(
  session: JsonObject,
  { name, status, thread, pid, backend, ts }: AgentStatus,
): JsonObject {
  const { pid: _, started_at: startedAt, ...rest } = session;
  const now = encodeDate(ts);
  const isGoingOn = session["status"] === "working" && status === "working";
  return {
    agent_backend: backend,
    ...rest,
    name,
    status,
    thread,
    last_activity: now,
    started_at: isGoingOn || status !== "working" ? (startedAt ?? now) : now,
    ...(pid === undefined ? {} : { pid }),
  };
}
