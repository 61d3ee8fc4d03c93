/** The way back to the draft, for whatever had the focus before. */
let draft: HTMLTextAreaElement | null = null;

export function setDraftField(field: HTMLTextAreaElement | null): void {
  draft = field;
}

export function focusDraft(): void {
  draft?.focus();
}
