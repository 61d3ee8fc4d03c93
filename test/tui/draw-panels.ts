/** Draws the messages of a hand-written log as panels, for tests of what they look like. */
import type { EventDraft, SessionEvent } from "../../src/protocol/index.ts";
import { empty, fold, loadedMessages, type ShownMessage, type Transcript } from "../../src/transcript/index.ts";
import { createKeymap } from "../../src/tui/keys/keymap.ts";
import { createPanel } from "../../src/tui/panels/create-panel.ts";
import type { PanelContext, ViewSettings } from "../../src/tui/panels/panel.ts";
import { createTheme } from "../../src/tui/theme/create-theme.ts";
import { created, joined } from "../generate/drafts.ts";
import { stamped, START_TS } from "../generate/stamped.ts";

export const SETTINGS: ViewSettings = { thinking: "dim", isExpanded: false, hasTimes: false, isRaw: false };

const plain = createTheme({ name: "none", depth: "none" });

export function contextOf(transcript: Transcript, rest: Partial<PanelContext> = {}): PanelContext {
  const keymap = createKeymap();
  const keyOf: PanelContext["keyOf"] = (action) => keymap.hint(action);
  const base = { theme: plain, settings: SETTINGS, liveRowsMax: 40, isSelected: false, now: START_TS, keyOf };
  return { ...base, transcript, ...rest };
}

export function transcriptOf(events: readonly SessionEvent[]): Transcript {
  return fold(empty("session"), events);
}

/** After a session in which claude, codex and pi sit at the table. */
export function sessionLog(drafts: readonly EventDraft[]): SessionEvent[] {
  return stamped([created(), joined("claude"), joined("codex"), joined("pi"), ...drafts]);
}

export function shownMessages(transcript: Transcript): ShownMessage[] {
  return [...loadedMessages(transcript)];
}

export interface PictureOptions extends Partial<Omit<PanelContext, "transcript">> {
  width: number;
  /** Only messages of these kinds. */
  kinds?: readonly ShownMessage["kind"][];
}

// oxlint-disable-next-line no-control-regex -- our own styles begin with one.
const STYLES = /\u001b\[[0-9;]*m/g;

/** The panels one below the other, without styles; a frame of newlines makes snapshots line up. */
export function picture(drafts: readonly EventDraft[], { width, kinds = ["turn"], ...rest }: PictureOptions): string {
  const transcript = transcriptOf(sessionLog(drafts));
  const context = contextOf(transcript, rest);
  const rows = shownMessages(transcript)
    .filter((message) => kinds.includes(message.kind))
    .flatMap((message) => createPanel(message, context).render(width));
  return `\n${rows.join("\n").replaceAll(STYLES, "")}\n`;
}
