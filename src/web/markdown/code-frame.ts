/** Frame of a code block: language and copy button. A listener on the page handles the button. */
const LANGUAGE_CHARS_MAX = 24;

export function languageLabel(language: string): string {
  return language.slice(0, LANGUAGE_CHARS_MAX);
}

/** For code inside lists and quotes; `markdown.tsx` renders the same for top-level code. */
export function codeFrame(code: string, language: string): HTMLElement {
  const frame = node("div", "code");
  if (language !== "") frame.dataset["language"] = language;
  const bar = node("div", "code-bar");
  const copy = node("button", "copy");
  copy.setAttribute("type", "button");
  copy.append("Copy");
  const label = node("span", "code-language");
  label.append(languageLabel(language));
  bar.append(label, copy);
  const pre = node("pre", "");
  pre.tabIndex = 0;
  const inner = node("code", "");
  inner.append(code);
  pre.append(inner);
  frame.append(bar, pre);
  return frame;
}

function node(name: string, className: string): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  return made;
}

const LABEL_MS = 1_500;

/** Handles copy buttons below `root` and shows the result on them; returns the stop function. */
export function listenForCopies(root: HTMLElement, onFailed: (message: string) => void): () => void {
  const listener = (event: Event): void => {
    const button = event.target instanceof Element ? event.target.closest("button.copy") : undefined;
    if (!(button instanceof HTMLButtonElement)) return;
    const text = button.closest(".code")?.querySelector("code")?.textContent ?? "";
    const showLabel = (label: string): void => {
      button.textContent = label;
      setTimeout(() => (button.textContent = "Copy"), LABEL_MS);
    };
    navigator.clipboard.writeText(text).then(
      () => showLabel("Copied"),
      () => {
        // In a dialog or a replay the error message is out of view.
        showLabel("Not copied");
        onFailed("The browser doesn't allow this page to copy.");
      },
    );
  };
  root.addEventListener("click", listener);
  return () => root.removeEventListener("click", listener);
}
