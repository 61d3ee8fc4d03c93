/** One test phrase: what `/try NAME` does. */
import type { EmbeddedTurn } from "../../../../src/agents/index.ts";

export interface TryPhrase {
  name: string;
  /** An example of what may follow the name. */
  example?: string;
  does: string;
  run(turn: EmbeddedTurn, argument: string): Promise<void>;
}
