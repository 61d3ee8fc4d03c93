/** The part of a request overlay that builds the answer. */
import type { Json } from "../../../protocol/index.ts";

export interface PartSize {
  /** Without the margin. */
  readonly width: number;
  readonly height: number;
  /** Blank columns on each side, which bands cover. */
  readonly margin?: number;
}

export interface RequestPart {
  /** Preferred rows at this width; it may get fewer. */
  rowsWanted(width: number): number;
  /** Rows in which everything still has its place. */
  rowsLeast?(width: number): number;
  /** At most `height` rows, each with its left margin. */
  rows(size: PartSize): string[];
  /** Text that changes with the part, such as the current question; shown with the description. */
  reading?(width: number): string[];
  /** Where it is, for the rule: "1 of 2". */
  readonly progress?: string | undefined;
  /** Warning about the last input. */
  readonly problem?: string | undefined;
  /** Words for the member are being typed, so every key is for them. */
  readonly isWriting?: boolean;
  /** Most important first, and at the end what Escape does. */
  readonly hints: readonly string[];
  /** True when the key was used; otherwise the overlay may scroll with it. */
  handleInput(data: string): boolean;
  /** Escape closed something inside; false when the request itself is to be cancelled. */
  stepBack?(): boolean;
  /** Click on one of its rows, from 0. */
  click?(row: number): void;
  focused: boolean;
}

/** `reason` of a denial; with an approval, what the member is told as well. */
export type GiveAnswer = (result: Json, reason?: string) => void;
