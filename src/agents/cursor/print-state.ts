/** What is known of one printed turn. */
export interface PrintState {
  /** Text that was passed on in pieces and not closed yet. */
  readonly open: string;
  /** All text passed on in this turn before that. */
  readonly before: string;
  readonly isThinking: boolean;
  readonly tools: ReadonlySet<string>;
}

export const firstPrintState: PrintState = { open: "", before: "", isThinking: false, tools: new Set() };
