/** What a key means here. Keys come from Node's own decoder; what is pasted is text, whatever is in it. */
import { emitKeypressEvents, type Interface, type Key } from "node:readline";
import type { ReadStream } from "node:tty";
import type { Edit } from "./draft.ts";

export type KeyMeaning =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "edit"; readonly edit: Edit }
  | { readonly kind: "send" | "escape" | "interrupt" | "end-of-input" };

/** A lone Escape is told from the beginning of a sequence by what follows within this time. */
const ESCAPE_MS = 50;

/** Calls back for every key until the returned function is called. */
export function listenForKeys(input: ReadStream, onKey: (meaning: KeyMeaning) => void): () => void {
  // The decoder asks an interface only for this; a whole one would edit and echo by itself.
  emitKeypressEvents(input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  let pasted: string | undefined;
  const take = (text: string | undefined, key: Key) => {
    if (key.name === "paste-start") {
      pasted = "";
    } else if (key.name === "paste-end") {
      const whole = pasted ?? "";
      pasted = undefined;
      onKey({ kind: "text", text: plainText(whole) });
    } else if (pasted !== undefined) {
      pasted += key.sequence ?? text ?? "";
    } else {
      const meaning = meaningOf(text, key);
      if (meaning !== undefined) onKey(meaning);
    }
  };
  input.on("keypress", take);
  return () => void input.off("keypress", take);
}

const controls: Readonly<Record<string, KeyMeaning>> = {
  c: { kind: "interrupt" },
  d: { kind: "end-of-input" },
  a: { kind: "edit", edit: "home" },
  e: { kind: "edit", edit: "end" },
  b: { kind: "edit", edit: "left" },
  f: { kind: "edit", edit: "right" },
  h: { kind: "edit", edit: "backspace" },
  w: { kind: "edit", edit: "killWord" },
  u: { kind: "edit", edit: "killToStart" },
  k: { kind: "edit", edit: "killToEnd" },
};

const named: Readonly<Record<string, KeyMeaning>> = {
  escape: { kind: "escape" },
  // Ctrl+J; Enter itself is "return".
  enter: { kind: "text", text: "\n" },
  left: { kind: "edit", edit: "left" },
  right: { kind: "edit", edit: "right" },
  home: { kind: "edit", edit: "home" },
  end: { kind: "edit", edit: "end" },
  backspace: { kind: "edit", edit: "backspace" },
  delete: { kind: "edit", edit: "delete" },
};

function meaningOf(text: string | undefined, key: Key): KeyMeaning | undefined {
  const { name = "", ctrl = false, meta = false } = key;
  if (name === "return") return meta ? { kind: "text", text: "\n" } : { kind: "send" };
  if (ctrl) return controls[name];
  const found = named[name];
  if (found !== undefined) return found;
  const plain = text === undefined || meta ? "" : plainText(text);
  return plain === "" ? undefined : { kind: "text", text: plain };
}

/** Newlines and tabs stay; other control characters have no place in a message. */
function plainText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- taking control characters out is the purpose here.
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
