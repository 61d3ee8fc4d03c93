/** What members may do without asking, as it is listed for the user, and what is taken back of it. */
import * as z from "zod";

/** One thing that was allowed: exactly this command, changes of this file, or exactly this call of a tool. */
export const Cover = z.object({ tool: z.string(), kind: z.enum(["command", "path", "call"]), text: z.string() });

/** How far a yes of the user reaches: one thing for the session, every file here for the session, one thing for always. */
export const Reach = z.enum(["session", "edits", "always"]);
export type Reach = z.infer<typeof Reach>;

/** What is done about a call; in the order in which rules are looked at. */
export const Verdict = z.enum(["deny", "ask", "allow"]);
export type Verdict = z.infer<typeof Verdict>;

export const Permission = z.object({
  verdict: Verdict,
  /** As one would write it into the configuration; its end is cut with "…" when it is long. Empty for every file here. */
  rule: z.string(),
  /** "rule" for those of the configuration. */
  reach: z.enum(["rule", ...Reach.options]),
  /** By this it is taken back; rules are changed where they are written. */
  permissionId: z.string().optional(),
  /** The file that says so. */
  from: z.string().optional(),
  /** Whose request the user answered with it, and when. */
  member: z.string().optional(),
  ts: z.number().optional(),
});
export type Permission = z.infer<typeof Permission>;

/** In the order in which they count: the first that fits decides, and what nothing fits is asked about. */
export const Permissions = z.object({
  writable: z.boolean(),
  cwd: z.string(),
  permissions: z.array(Permission),
  /** How many more there are. */
  leftOut: z.int().nonnegative(),
});
export type Permissions = z.infer<typeof Permissions>;

/** What was taken back, and what is done about it from now on. */
export const Revoked = z.object({
  rule: z.string(),
  reach: Reach,
  now: Verdict,
  /** What decides that; absent when nothing does, so that the user is asked. */
  by: z.string().optional(),
});
export type Revoked = z.infer<typeof Revoked>;

/** "shell: git status". */
export function coverRule({ tool, text }: { readonly tool: string; readonly text: string }): string {
  return `${tool}: ${text}`;
}
