/** What is known of one printed turn. */
export interface PrintState {
  /** The session that the program was told to go on with. */
  readonly resumes: string | null;
  /** Text that was passed on in pieces and not closed yet. */
  readonly open: string;
  /** All text passed on in this turn before that. */
  readonly before: string;
  readonly isThinking: boolean;
  readonly tools: ReadonlySet<string>;
}

export const firstPrintState: PrintState = { resumes: null, open: "", before: "", isThinking: false, tools: new Set() };
