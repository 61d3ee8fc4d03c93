/** What a new session gets when a screen does not say, and who else could sit down. */
import type { MemberSpec, Settings } from "../../protocol/index.ts";
import type { ListedAgent } from "./schemas.ts";

export interface SessionDefaults {
  readonly cwd: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
  /** Looks on this machine; absent where nobody but the default members is known. */
  readonly listAgents?: () => Promise<readonly ListedAgent[]>;
}
