/**
 * Several lines of text: for editor. What was given to edit is shown in a safe form; as long as nobody changes it, the
 * answer is what was given, to the byte.
 */
import { Editor, parseKey } from "@earendil-works/pi-tui";
import { terminalSafe } from "../../kit/terminal-safe.ts";
import type { OverlaySurface } from "./overlay-surface.ts";
import type { GiveAnswer, RequestPart } from "./request-part.ts";
import { withSafePaste } from "./safe-field.ts";

export interface EditorPartOptions {
  readonly prefill?: string | undefined;
  /** Opens the user's own editor; undefined when it was left without a text. */
  readonly editText?: ((text: string) => Promise<string | undefined>) | undefined;
  readonly onProblem: (message: string) => void;
  readonly give: GiveAnswer;
}

export function createEditorPart(surface: OverlaySurface, options: EditorPartOptions): RequestPart {
  const plain = (text: string) => text;
  const editor = new Editor(surface.tui, {
    borderColor: (text) => surface.theme.paint("border", text),
    selectList: { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain },
  });
  editor.disableSubmit = true;
  let given = { text: "", shown: "" };
  put(options.prefill ?? "");

  function put(text: string): void {
    editor.setText(terminalSafe(text));
    given = { text, shown: editor.getExpandedText() };
  }

  function text(): string {
    const now = editor.getExpandedText();
    return now === given.shown ? given.text : now;
  }

  async function editOutside(): Promise<void> {
    try {
      const edited = await options.editText?.(text());
      if (edited !== undefined) put(edited);
    } catch (error) {
      options.onProblem(error instanceof Error ? error.message : String(error));
    }
    surface.tui.requestRender();
  }

  return {
    hints: [
      "Enter send",
      "Esc no answer",
      "Shift+Enter newline",
      ...(options.editText === undefined ? [] : ["Ctrl+G your editor"]),
    ],
    rowsWanted: (width) => editor.render(width).length,
    rows: ({ width, height }) => windowOnCursor(editor.render(width), height),
    handleInput(data) {
      // A bare line feed is Ctrl+J, which always makes a line; terminals send a carriage return for Enter.
      const key = data === "\n" ? "ctrl+j" : parseKey(data);
      if (key === "enter") options.give(text());
      else if (key === "ctrl+g" && options.editText !== undefined) void editOutside();
      else if (key === "ctrl+j" || key === "shift+enter" || key === "alt+enter") editor.insertTextAtCursor("\n");
      else editor.handleInput(withSafePaste(data));
      return true;
    },
    get focused() {
      return editor.focused;
    },
    set focused(isFocused) {
      editor.focused = isFocused;
    },
  };
}

/** The cursor's row stands in reverse video; with less room than the editor takes, the rows around it are kept. */
function windowOnCursor(rows: string[], height: number): string[] {
  if (rows.length <= height) return rows;
  const cursor = Math.max(
    0,
    rows.findIndex((row) => row.includes("\x1b[7m")),
  );
  const first = Math.max(0, Math.min(rows.length - height, cursor - Math.floor(height / 2)));
  return rows.slice(first, first + height);
}
