/** What members may do without asking, as listed for the user, and revocations. */
import * as z from "zod";

/** Subject of a grant: exactly this command, changes to this file, or exactly this tool call. */
export const Cover = z.object({ tool: z.string(), kind: z.enum(["command", "path", "call"]), text: z.string() });

/** Reach of a grant: one subject for the session, all files here for the session, or one subject permanently. */
export const Reach = z.enum(["session", "edits", "always"]);
export type Reach = z.infer<typeof Reach>;

/** Decision about a call, in the order in which rules are matched. */
export const Verdict = z.enum(["deny", "ask", "allow"]);
export type Verdict = z.infer<typeof Verdict>;

export const Permission = z.object({
  verdict: Verdict,
  /** In configuration syntax, truncated with "…" when long. Empty for all files here. */
  rule: z.string(),
  /** "rule" for rules of the configuration. */
  reach: z.enum(["rule", ...Reach.options]),
  /** Id for `revoke_permission`; rules are edited in their file instead. */
  permissionId: z.string().optional(),
  /** The file that contains the rule. */
  from: z.string().optional(),
  /** Member whose request the user answered with it, and when. */
  member: z.string().optional(),
  ts: z.number().optional(),
});
export type Permission = z.infer<typeof Permission>;

/** In order of precedence: the first match decides; without a match the user is asked. */
export const Permissions = z.object({
  writable: z.boolean(),
  cwd: z.string(),
  permissions: z.array(Permission),
  /** Number of entries left out. */
  leftOut: z.int().nonnegative(),
});
export type Permissions = z.infer<typeof Permissions>;

/** The revoked grant, and the decision that applies from now on. */
export const Revoked = z.object({
  rule: z.string(),
  reach: Reach,
  now: Verdict,
  /** What decides now; absent when the user is asked. */
  by: z.string().optional(),
});
export type Revoked = z.infer<typeof Revoked>;

/** "shell: git status". */
export function coverRule({ tool, text }: { readonly tool: string; readonly text: string }): string {
  return `${tool}: ${text}`;
}
