/** Where a message is written. Enter sends, Shift+Enter makes a line; nothing else ever takes the draft away. */
import { element, setShown, setText } from "./element.ts";

export interface Composer {
  readonly node: HTMLElement;
  setStatus(text: string): void;
  /** Stays until the next thing goes well; an empty text takes it away. */
  setProblem(text: string): void;
  setEnabled(isEnabled: boolean): void;
  focus(): void;
}

/** `onSend` returns false when the text was not taken and must stay. */
export function createComposer({ onSend }: { onSend: (text: string) => Promise<boolean> }): Composer {
  const input = element("textarea", {
    rows: "1",
    placeholder: "Write to the table…",
    "aria-label": "Message",
    autocomplete: "off",
    spellcheck: "true",
  });
  const send = element("button", { type: "submit" }, "Send");
  const status = element("p", { class: "status", role: "status" });
  const problem = element("p", { class: "problem", role: "alert" });
  const form = element("form", { class: "composer" }, problem, element("div", { class: "row" }, input, send), status);
  setShown(problem, false);

  async function submit(): Promise<void> {
    const text = input.value;
    if (text.trim() === "" || input.disabled) return;
    input.value = "";
    if (await onSend(text.trim())) return;
    // What was written meanwhile stays as well.
    input.value = input.value === "" ? text : `${text}\n\n${input.value}`;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  input.addEventListener("keydown", (event) => {
    // While an input method composes, Enter chooses a word.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void submit();
  });
  return {
    node: form,
    setStatus: (text) => setText(status, text),
    setProblem(text) {
      setText(problem, text);
      setShown(problem, text !== "");
    },
    setEnabled(isEnabled) {
      input.disabled = !isEnabled;
      send.disabled = !isEnabled;
    },
    focus: () => input.focus(),
  };
}
