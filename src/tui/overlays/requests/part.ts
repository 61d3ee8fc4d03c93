/** The part of a request overlay that builds the answer. */
import type { Json } from "../../../protocol/index.ts";

export interface PartSize {
  readonly width: number;
  readonly height: number;
}

export interface RequestPart {
  /** Preferred rows at this width; it may get fewer. */
  rowsWanted(width: number): number;
  /** At most `height` rows. */
  rows(size: PartSize): string[];
  /** Text that changes with the part, such as the current question; shown with the description. */
  reading?(width: number): string[];
  /** Warning about the last input. */
  readonly problem?: string | undefined;
  /** A reason is being typed, so every key is for it. */
  readonly isWriting?: boolean;
  /** Most important first. */
  readonly hints: readonly string[];
  /** True when the key was used; otherwise the overlay may scroll with it. */
  handleInput(data: string): boolean;
  /** Escape closed something inside; false when the request itself is to be cancelled. */
  stepBack?(): boolean;
  /** Click on one of its rows, from 0. */
  click?(row: number): void;
  focused: boolean;
}

/** `reason` of a denial. */
export type GiveAnswer = (result: Json, reason?: string) => void;
