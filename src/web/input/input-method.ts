/** The code of a key that went to an input method, whichever it was. */
const COMPOSING_KEY_CODE = 229;

/** Whether a key is part of composing a word. Safari ends the composition first: only the code tells that Enter was for it. */
export function isOfInputMethod({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === COMPOSING_KEY_CODE;
}
