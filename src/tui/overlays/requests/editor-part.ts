/**
 * Several lines of text: for editor. The given text is shown sanitised; if it is not edited, the answer is the
 * original, byte for byte.
 */
import { Editor, parseKey } from "@earendil-works/pi-tui";
import { terminalSafe } from "../../../kit/text/terminal-safe.ts";
import { internalsOf } from "../../input/editor-internals.ts";
import type { OverlaySurface } from "../overlay-surface.ts";
import type { GiveAnswer, RequestPart } from "./part.ts";
import { withSafePaste } from "../safe-field.ts";

export interface EditorPartOptions {
  readonly prefill?: string | undefined;
  /** Opens the user's editor; undefined when it was left without a text. */
  readonly editText?: ((text: string) => Promise<string | undefined>) | undefined;
  readonly onProblem: (message: string) => void;
  readonly give: GiveAnswer;
}

export function createEditorPart(surface: OverlaySurface, options: EditorPartOptions): RequestPart {
  const plain = (text: string) => text;
  const editor = new Editor(surface.tui, {
    borderColor: (text) => surface.theme.paint("faint", text),
    selectList: { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain },
  });
  editor.disableSubmit = true;
  cutPlainTextFast(editor);
  const picture = createPicture(editor, surface);
  let given = { text: "", shown: "" };
  put(options.prefill ?? "");

  function put(text: string): void {
    picture.change();
    editor.setText(terminalSafe(text));
    given = { text, shown: editor.getExpandedText() };
  }

  function text(): string {
    const now = editor.getExpandedText();
    return now === given.shown ? given.text : now;
  }

  async function editExternally(): Promise<void> {
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
      "Shift+Enter new\u00a0line",
      ...(options.editText === undefined ? [] : ["Ctrl+G write in $EDITOR"]),
      "Esc cancel",
    ],
    rowsWanted: (width) => picture.rows(width).length,
    rows: ({ width, height, margin = 0 }) =>
      windowOnCursor(picture.rows(width), height).map((row) => " ".repeat(margin) + row),
    handleInput(data) {
      picture.change();
      // A bare line feed is Ctrl+J, which always inserts a newline; terminals send a carriage return for Enter.
      const key = data === "\n" ? "ctrl+j" : parseKey(data);
      if (key === "enter") options.give(text());
      else if (key === "ctrl+g" && options.editText !== undefined) void editExternally();
      else if (key === "ctrl+j" || key === "shift+enter" || key === "alt+enter") editor.insertTextAtCursor("\n");
      else editor.handleInput(withSafePaste(data));
      return true;
    },
    get focused() {
      return editor.focused;
    },
    set focused(isFocused) {
      picture.change();
      editor.focused = isFocused;
    },
  };
}

/** Rendered once per frame, which asks for the height first and then for the rows. */
function createPicture(editor: Editor, surface: OverlaySurface) {
  let drawn: { readonly of: readonly unknown[]; readonly rows: string[] } | undefined;
  return {
    change: () => (drawn = undefined),
    rows(width: number): string[] {
      const of = [width, surface.tui.terminal.rows, surface.theme];
      if (drawn === undefined || of.some((one, at) => one !== drawn?.of[at]))
        drawn = { of, rows: editor.render(width) };
      return drawn.rows;
    },
  };
}

const PLAIN = /^[ -~]*$/;
/** The library's marker for a long paste; atomic. */
const PASTE_MARK = "[paste #";

/** The library segments the whole line with each key, which takes seconds for 1 MB. */
function cutPlainTextFast(editor: Editor): void {
  const inside = internalsOf(editor);
  const segment = inside.segment.bind(editor);
  inside.segment = (text, mode) =>
    mode === "grapheme" && PLAIN.test(text) && !text.includes(PASTE_MARK)
      ? Array.from(text, (letter, index) => ({ segment: letter, index, input: text }))
      : segment(text, mode);
}

/** Keeps the rows around the cursor, which is in reverse video, when the editor needs more room than there is. */
function windowOnCursor(rows: string[], height: number): string[] {
  if (rows.length <= height) return rows;
  const cursor = Math.max(
    0,
    rows.findIndex((row) => row.includes("\x1b[7m")),
  );
  const first = Math.max(0, Math.min(rows.length - height, cursor - Math.floor(height / 2)));
  return rows.slice(first, first + height);
}
