/** An answer on its way to the session. */
import type { Json } from "../../protocol/index.ts";

export interface GivenAnswer {
  readonly requestId: string;
  readonly result: Json;
  /** Why there is none, such as "dismissed". */
  readonly error?: string;
  /** Why it is denied. */
  readonly reason?: string;
}
