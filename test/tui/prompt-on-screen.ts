/** A prompt on the in-process terminal: real key bytes in, rows out, and a clock that the test moves. */
import {
  KeybindingsManager,
  setKeybindings,
  setKittyProtocolActive,
  TUI_KEYBINDINGS,
  VStack,
} from "@earendil-works/pi-tui";
import { createPrompt } from "../../src/tui/input/create-prompt.ts";
import type { CompletionSource, DraftStore, HistoryStore, PasteSpan, Prompt } from "../../src/tui/input/prompt.ts";
import { createKeymap, type Keymap } from "../../src/tui/keys/keymap.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import { createManualClock } from "../host/manual-clock.ts";
import { openTestScreen, type TestScreen } from "./in-process-terminal.ts";

/** Keys as a terminal without any newer protocol sends them. */
export const KEYS = {
  enter: "\r",
  altEnter: "\u001b\r",
  ctrlJ: "\n",
  tab: "\t",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  home: "\u001b[H",
  end: "\u001b[F",
  backspace: "\u007f",
  /** In the kitty protocol, then in xterm's modifyOtherKeys. */
  shiftEnter: "\u001b[13;2u",
  shiftEnterXterm: "\u001b[27;2;13~",
} as const;

export function ctrl(letter: string): string {
  return String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 0x1f);
}

export function alt(letter: string): string {
  return `\u001b${letter}`;
}

export function paste(text: string): string {
  return `\u001b[200~${text}\u001b[201~`;
}

export interface MemoryDrafts extends DraftStore {
  readonly drafts: Map<string, string>;
}

export function memoryDrafts(initial: Record<string, string> = {}): MemoryDrafts {
  const drafts = new Map(Object.entries(initial));
  const spans = new Map<string, readonly PasteSpan[]>();
  return {
    drafts,
    load: (sessionId = "new") =>
      Promise.resolve({ text: drafts.get(sessionId) ?? "", pastes: spans.get(sessionId) ?? [] }),
    save(sessionId, text, pastes = []) {
      spans.set(sessionId ?? "new", pastes);
      if (text === "") drafts.delete(sessionId ?? "new");
      else drafts.set(sessionId ?? "new", text);
    },
    flush: () => Promise.resolve(),
  };
}

export interface MemoryHistory extends HistoryStore {
  readonly lines: string[];
}

export function memoryHistory(...lines: string[]): MemoryHistory {
  return { lines, load: () => Promise.resolve([...lines]), add: (text) => void lines.push(text) };
}

export const noCompletions: CompletionSource = {
  members: () => [],
  files: () => Promise.resolve([]),
  commands: () => [],
  commandArguments: () => Promise.resolve([]),
};

export interface PromptOnScreen {
  readonly prompt: Prompt;
  readonly screen: TestScreen;
  readonly clock: ReturnType<typeof createManualClock>;
  readonly sent: { text: string; how: "send" | "queue" }[];
  readonly messages: string[];
  readonly drafts: MemoryDrafts;
  readonly history: MemoryHistory;
  isRunning: boolean;
  /** Each argument is one key, one paste or a text, whose characters are typed one by one as a terminal reader gives them. */
  type(...keys: string[]): Promise<void>;
  /** The rows that are not blank. */
  rows(): Promise<string[]>;
  [Symbol.dispose](): void;
}

interface Setting {
  columns?: number;
  rows?: number;
  keymap?: Keymap;
  completions?: CompletionSource;
  history?: MemoryHistory;
  drafts?: MemoryDrafts;
  sessionId?: string;
  /** As the screen is before a host has said which session to show. */
  isBeforeSession?: boolean;
}

export async function openPrompt(setting: Setting = {}): Promise<PromptOnScreen> {
  const { columns = 60, rows = 24, history = memoryHistory(), drafts = memoryDrafts() } = setting;
  const clock = createManualClock();
  const sent: PromptOnScreen["sent"] = [];
  const messages: string[] = [];
  const root = new VStack([]);
  const screen = openTestScreen(root, columns, rows);
  const table = { isRunning: false };
  const prompt = createPrompt({
    tui: screen.tui,
    theme: createTheme({ name: "none", depth: "none" }),
    keymap: setting.keymap ?? createKeymap(),
    completions: setting.completions ?? noCompletions,
    history,
    drafts,
    clock,
    onSubmit: (text, how) => void sent.push({ text, how }),
    isRunning: () => table.isRunning,
    placeholder: () => "say something",
    notify: (text) => void messages.push(text),
  });
  root.addChild(prompt.component);
  screen.tui.setFocus(prompt.component);
  if (setting.isBeforeSession !== true) await prompt.openSession(setting.sessionId ?? "s1");
  await settle();
  return Object.assign(table, {
    prompt,
    screen,
    clock,
    sent,
    messages,
    drafts,
    history,
    async type(...keys: string[]) {
      for (const key of keys) {
        for (const data of asRead(key)) screen.terminal.type(data);
        await settle();
      }
    },
    async rows() {
      return (await screen.rows()).filter((row) => row.trim() !== "");
    },
    [Symbol.dispose]() {
      screen.close();
      setKittyProtocolActive(false);
      setKeybindings(new KeybindingsManager(TUI_KEYBINDINGS));
    },
  });
}

/** Control sequences and pastes come whole, text one UTF-16 unit at a time. */
function asRead(key: string): string[] {
  return key.startsWith("\u001b") || key.length === 1 ? [key] : key.split("");
}

/** Lets what waits only for promises finish. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
