/** What a new session gets when a screen does not say. */
import type { MemberSpec, Settings } from "../protocol/index.ts";

export interface SessionDefaults {
  readonly cwd: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
}
