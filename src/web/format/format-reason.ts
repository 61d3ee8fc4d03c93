/** Why a turn ended or a message reached nobody: codes of the log in words. A code that is not known says nothing to people. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["closed", "the server stopped"],
  ["restart", "the server was restarted"],
  ["member_left", "it left the session"],
  ["muted", "it was muted"],
  ["cleared", "the conversation was cleared"],
  ["forked", "the session was forked before"],
  ["timeout", "it took too long"],
  ["interrupted", "it was stopped"],
  ["output_limit", "it wrote too much"],
]);

/** A sentence is left as it is; empty for a code without words. */
export function formatReason(reason: string): string {
  return REASONS.get(reason) ?? (/^[a-z0-9_]*$/.test(reason) ? "" : reason);
}
