/** Where a message is written. Enter sends, Shift+Enter makes a line; nothing else ever takes the draft away. */
import { element, setText } from "./element.ts";

export interface Composer {
  readonly node: HTMLElement;
  setStatus(text: string): void;
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
  const form = element("form", { class: "composer" }, element("div", { class: "row" }, input, send), status);

  async function submit(): Promise<void> {
    const text = input.value;
    if (text.trim() === "" || input.disabled) return;
    input.value = "";
    if (!(await onSend(text.trim())) && input.value === "") input.value = text;
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
    setEnabled(isEnabled) {
      input.disabled = !isEnabled;
      send.disabled = !isEnabled;
    },
    focus: () => input.focus(),
  };
}
