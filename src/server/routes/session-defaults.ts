/** Defaults of a new session, and the agents available on this machine. */
import type { MemberSpec, Settings } from "../../protocol/index.ts";
import type { ListedAgent } from "./schemas.ts";
import type { Configuration } from "./settings.ts";

export interface SessionDefaults {
  readonly cwd: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
  /** Discovers agents on this machine; when absent, only the default members are listed. */
  readonly listAgents?: () => Promise<readonly ListedAgent[]>;
  /** Absent: the configuration can be neither read nor changed. */
  readonly configuration?: Configuration;
}
