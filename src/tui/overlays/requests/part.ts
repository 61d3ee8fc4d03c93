/** The part of a request overlay that differs by what is asked: how the answer is made. */
import type { Json } from "../../../protocol/index.ts";

export interface PartSize {
  readonly width: number;
  readonly height: number;
}

export interface RequestPart {
  /** Rows it would like at this width; it may get fewer. */
  rowsWanted(width: number): number;
  /** At most `height` rows. */
  rows(size: PartSize): string[];
  /** Text beside what was asked that changes with the part, such as the question at hand; shown with what is read. */
  reading?(width: number): string[];
  /** Something the user should know of what was just entered. */
  readonly problem?: string | undefined;
  /** Most important first. */
  readonly hints: readonly string[];
  /** True when the key was used; otherwise the overlay may scroll with it. */
  handleInput(data: string): boolean;
  /** Escape closed something of its own; false when the request itself is to be cancelled. */
  stepBack?(): boolean;
  /** A click on one of its rows, counted from 0. */
  click?(row: number): void;
  focused: boolean;
}

/** `reason` says why something is denied. */
export type GiveAnswer = (result: Json, reason?: string) => void;
