/** The way back to the draft, for whatever had the focus before. */
let draft: HTMLTextAreaElement | null = null;
let caret: number | undefined;

export function setDraftField(field: HTMLTextAreaElement | null): void {
  draft = field;
}

/** `at` is where one goes on in a text that is put into the draft at the same moment. */
export function focusDraft(at?: number): void {
  draft?.focus();
  caret = at;
}

/** Where the caret is to go with the text that is drawn now; once. */
export function consumeCaret(): number | undefined {
  const at = caret;
  caret = undefined;
  return at;
}
