import { useSyncExternalStore } from "react";

const fingers = matchMedia("(hover: none) and (pointer: coarse)");

/** The code of a key that went to an input method, whichever it was. */
const COMPOSING_KEY_CODE = 229;

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

/** Whether keys that are pressed there write something. */
export function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Whether a key is part of composing a word. Safari ends the composition first: only the code tells that Enter was for it. */
export function isOfInputMethod({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === COMPOSING_KEY_CODE;
}

/** Whether to speak of keys: where fingers are all there is to point with, a keyboard is on the screen and has none of them. */
function subscribe(listener: () => void): () => void {
  fingers.addEventListener("change", listener);
  return () => fingers.removeEventListener("change", listener);
}

export function useHasKeys(): boolean {
  return useSyncExternalStore(subscribe, () => !fingers.matches);
}
