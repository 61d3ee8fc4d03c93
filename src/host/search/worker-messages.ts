/** What goes between a host and the thread that keeps its index. */
import type { AnswerError, SearchAnswer, SearchQuery } from "../../protocol/index.ts";
import type { SessionRange } from "./indexing/entry.ts";

export type ToWorker =
  | { readonly kind: "take"; readonly ranges: readonly SessionRange[]; readonly behind: readonly string[] }
  | { readonly kind: "search"; readonly id: number; readonly query: SearchQuery }
  | { readonly kind: "close" };

export type FromWorker =
  /** The oldest "take" is in the index, or what it brought is known to be missing there. */
  | { readonly kind: "taken" }
  | { readonly kind: "found"; readonly id: number; readonly answer: SearchAnswer }
  | { readonly kind: "failed"; readonly id: number; readonly error: AnswerError }
  /** Whether it reads sessions that were not in the index. */
  | { readonly kind: "working"; readonly isWorking: boolean };
