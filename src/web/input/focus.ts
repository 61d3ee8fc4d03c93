import { useSyncExternalStore } from "react";
import type { KeyboardEvent as ReactKeyboardEvent } from "react";

const fingers = () => matchMedia("(hover: none) and (pointer: coarse)");

/** keyCode of a key handled by an input method. */
const COMPOSING_KEY_CODE = 229;

/** The draft field, for returning the focus. */
let draft: HTMLTextAreaElement | undefined;

let caret: number | undefined;

export function setDraftField(field: HTMLTextAreaElement | null): void {
  draft = field ?? undefined;
}

/** `at` is the caret position for text set at the same time. */
export function focusDraft(at?: number): void {
  draft?.focus();
  caret = at;
}

/** Once what was just opened is drawn: a hidden field takes no focus. */
export function focusDraftSoon(): void {
  requestAnimationFrame(() => focusDraft());
}

/** The focus of what goes now. Not under fingers: their keyboard would cover what was opened instead. */
export function focusDraftIfLost(): void {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body && !fingers().matches) focusDraft();
  });
}

interface CaretRange {
  readonly start: number;
  readonly end: number;
  readonly direction?: "forward" | "backward" | "none";
}

/**
 * A dialog that closes gives the focus back. Chromium leaves the caret in a field of the dialog, though, and what is
 * typed then is lost: the text that has the focus again gets its caret back too.
 */
export function returnCarets(): void {
  const carets = new WeakMap<HTMLTextAreaElement, CaretRange>();
  const onLeave = ({ target }: Event): void => {
    if (!(target instanceof HTMLTextAreaElement)) return;
    const { selectionStart: start, selectionEnd: end, selectionDirection: direction } = target;
    carets.set(target, { start, end, direction });
  };
  const onClose = (): void => {
    const { activeElement: text } = document;
    const { anchorNode, anchorOffset = 0 } = getSelection() ?? {};
    if (!(text instanceof HTMLTextAreaElement) || anchorNode?.childNodes[anchorOffset] === text) return;
    const { start, end, direction } = carets.get(text) ?? { start: text.value.length, end: text.value.length };
    text.setSelectionRange(start, end, direction);
  };
  document.addEventListener("focusout", onLeave, { capture: true });
  document.addEventListener("close", onClose, { capture: true });
}

/** The pending caret position, returned once. */
export function consumeCaret(): number | undefined {
  const at = caret;
  caret = undefined;
  return at;
}

/** Whether typing there enters text. */
export function isTextField(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox" && target.type !== "radio";
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/**
 * Whether a key belongs to an input method. Safari ends the composition first; only keyCode shows that Enter was for
 * it.
 */
export function isOfInputMethod({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === COMPOSING_KEY_CODE;
}

/** Whether to show key hints: not on touch-only devices. */
function subscribe(listener: () => void): () => void {
  const query = fingers();
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

export function useHasKeys(): boolean {
  return useSyncExternalStore(subscribe, () => !fingers().matches);
}

/** Fields of the menus are inside the form of the composer, which Enter would send. */
export function onEnter(act: () => unknown): (event: ReactKeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    act();
  };
}
