/** The keys of the draft. While suggestions are shown, the keys that choose are theirs. */
import type { KeyboardEvent } from "react";
import { isOfInputMethod } from "./input-method.ts";
import type { Completion } from "../commands/use-completion.ts";
import type { Sending } from "./use-sending.ts";

export interface ComposerKeys extends Sending {
  readonly text: string;
  readonly isBusy: boolean;
  readonly completion: Completion;
  readonly accept: (at: number) => void;
  readonly insertLine: () => void;
  readonly showHelp: () => void;
}

export function handleKey(event: KeyboardEvent<HTMLTextAreaElement>, keys: ComposerKeys): void {
  // While an input method composes, Enter chooses a word.
  if (isOfInputMethod(event.nativeEvent)) return;
  if (handleChoiceKey(event, keys)) {
    event.preventDefault();
    event.stopPropagation();
  } else if (handleEditKey(event, keys)) {
    event.preventDefault();
  }
}

function handleChoiceKey(event: KeyboardEvent, { completion, accept }: ComposerKeys): boolean {
  if (completion.suggestions.length === 0) return false;
  const step = stepOf(event);
  if (step !== 0) completion.move(step);
  else if (event.key === "Tab" && !event.shiftKey) accept(completion.chosen);
  else if (event.key === "Enter" && !event.shiftKey && !completion.isWhole) accept(completion.chosen);
  else if (event.key === "Escape") completion.close();
  else return false;
  return true;
}

/** Ctrl+N and Ctrl+P as in the terminal, where the browser leaves them to the page. */
function stepOf({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): number {
  const isCtrl = ctrlKey && !altKey && !metaKey;
  if (key === "ArrowDown" || (isCtrl && key === "n")) return 1;
  return key === "ArrowUp" || (isCtrl && key === "p") ? -1 : 0;
}

function handleEditKey(event: KeyboardEvent, keys: ComposerKeys): boolean {
  const { key, shiftKey, altKey, ctrlKey } = event;
  if (key === "Enter" && !shiftKey && !altKey) void keys.submit("send");
  else if (key === "Tab" && !shiftKey && keys.isBusy && keys.text.trim() !== "") void keys.submit("queue");
  else if ((key === "j" && ctrlKey) || (key === "Enter" && altKey)) keys.insertLine();
  else if (key === "ArrowUp" && altKey) void keys.pullBack();
  else if (key === "?" && keys.text === "") keys.showHelp();
  else return false;
  return true;
}
