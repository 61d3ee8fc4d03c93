/** What is known of one printed turn. */
export interface PrintState {
  /** The session that the program was told to go on with. */
  readonly resumes: string | null;
  /** Text that was passed on in pieces and not closed yet. */
  readonly open: string;
  /** The texts before it that belong to the same passage, cut off by thoughts; a whole text repeats all of them. */
  readonly segments: readonly string[];
  /** All text passed on in this turn before that passage. */
  readonly before: string;
  readonly isThinking: boolean;
  readonly tools: ReadonlySet<string>;
}

export const firstPrintState: PrintState = {
  resumes: null,
  open: "",
  segments: [],
  before: "",
  isThinking: false,
  tools: new Set(),
};

/** Everything of the passage that a whole text would repeat now. */
export function passageOf({ segments, open }: PrintState): string {
  return segments.join("") + open;
}
