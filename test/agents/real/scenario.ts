/** What one trial of an agent is: who sits there, what is done, and what must have come of it. */
import type { Json, MemberSpec } from "../../../src/protocol/index.ts";
import type { AgentName } from "./pins.ts";
import type { ServedSession } from "./served-session.ts";

export interface Scenario {
  readonly name: string;
  /** Seats of the agent under trial; one unless said otherwise. */
  readonly agentCount?: number;
  /** Sit there too. */
  readonly others?: readonly MemberSpec[];
  /** The session may not be written to. */
  readonly isReadOnly?: boolean;
  /** It tries to do harm: root gives it to a user who can do none. */
  readonly isAttack?: boolean;
  /** Of Roundtable, beside what every trial has. */
  readonly config?: Readonly<Record<string, Json>>;
  /** The user's own files, before anything is started. */
  readonly prepare?: (home: string) => void;
  /** Why this agent does not do it; undefined when it does. */
  readonly notOffered?: (agent: AgentName) => string | undefined;
  /** Rejects when it is not as it should be; what it resolves with is worth telling beside a pass. */
  run(session: ServedSession, agent: AgentName): Promise<string | void>;
}
