/** Who sits in the sessions of tests that begin one here, and how: patient, and without a limit that a test would reach. */
import type { MemberSpec, Settings } from "../../src/protocol/index.ts";

export const REQUEST_TIMEOUT_MS = 60_000;

export function wireSession(cwd: string, names: readonly string[], settings: Partial<Settings> = {}) {
  const members: MemberSpec[] = names.map((name) => ({ name, kind: "embedded", model: "small" }));
  const usual: Settings = {
    mode: "broadcast",
    auto_rounds: 0,
    timeout: 600,
    request_timeout: REQUEST_TIMEOUT_MS / 1000,
    order: [...names],
    limits: { turns: 100, minutes: 30, tokens: 1_000_000, usd: 5 },
    writable: false,
    preamble: "Answer.",
  };
  return { cwd, title: "New session", settings: { ...usual, ...settings }, members, known: members };
}
