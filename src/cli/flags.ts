/** Options as the commands receive them, shared by the commands and the code behind them. */

export interface CommonFlags {
  dataDir?: string;
  /** `-C`. */
  directory?: string;
  color?: "auto" | "always" | "never";
  /** Configuration keys as KEY=VALUE. */
  config?: string[];
  /** Address of a team's server, for commands that can work there. */
  server?: string;
  /** MACHINE or MACHINE:FOLDER of a new session on that server. */
  on?: string;
}

export interface AskFlags extends CommonFlags {
  print?: string | boolean;
  prompt?: string;
  outputFormat?: "text" | "json" | "stream-json";
  json?: boolean;
  members?: string[];
  to?: string[];
  timeout?: number;
  maxTurns?: number;
  maxBudgetUsd?: number;
  /** Minutes. */
  maxTime?: number;
  /** Discussion rounds after the first answers. */
  rounds?: number;
  /** True without an id. */
  resume?: string | true;
  continue?: boolean;
  /** Same as `continue`. */
  resumeLast?: boolean;
  /** The last session of this directory, or a new one. */
  orNew?: boolean;
  name?: string;
  /** Attached files. */
  file?: string[];
  /** Continue in a copy of the session. */
  fork?: boolean;
  /** MODEL, or NAME=MODEL. */
  model?: string[];
  /** LEVEL, or NAME=LEVEL. */
  effort?: string[];
  /** Approval rules of this run. */
  allow?: string[];
  /** Members allowed in a read-only session without a guard. */
  allowUnguarded?: string[];
  /** Members may change files and run commands. */
  writable?: boolean;
}
