/** Defaults of a new session, and the agents available on this machine. */
import type { MemberSpec, Settings } from "../../protocol/index.ts";
import type { ImportResult, ListedAgent } from "./schemas.ts";
import type { Configuration, FolderListing } from "./settings.ts";

/** Rejects with "bad_command" for a file of no known format. */
export type ImportFile = (file: { readonly name: string; readonly bytes: Uint8Array }) => Promise<ImportResult>;

export interface SessionDefaults {
  readonly cwd: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
  /** Discovers agents on this machine; when absent, only the default members are listed. */
  readonly listAgents?: () => Promise<readonly ListedAgent[]>;
  /** Creates a session from a file of this or another program; absent: nothing can be imported. */
  readonly importFile?: ImportFile;
  /** Absent: the configuration can be neither read nor changed. */
  readonly configuration?: Configuration;
  /** On the server of a team: what a session in a folder of one of its machines begins with. */
  readonly defaultsIn?: Configuration["defaults"];
  /** On the server of a team: the folders of its machines. */
  readonly browse?: (path: string) => Promise<FolderListing>;
}
