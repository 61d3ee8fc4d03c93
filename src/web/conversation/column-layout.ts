/** Which columns a person has widened, pinned or hidden in the open session, by member. Kept until the page is left. */
import { useSyncExternalStore } from "react";

export interface ColumnLayout {
  readonly wide?: string;
  /** Pinned columns come first. */
  readonly pinned: readonly string[];
  readonly hidden: readonly string[];
  /** The column that is shown where there is room for one. */
  readonly chosen?: string;
}

const PLAIN: ColumnLayout = { pinned: [], hidden: [] };

const layouts = new Map<string, ColumnLayout>();
const listeners = new Set<() => void>();

export function useColumnLayout(sessionId: string): ColumnLayout {
  return useSyncExternalStore(subscribe, () => layouts.get(sessionId) ?? PLAIN);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(sessionId: string, edit: (layout: ColumnLayout) => ColumnLayout): void {
  layouts.set(sessionId, edit(layouts.get(sessionId) ?? PLAIN));
  for (const listener of listeners) listener();
}

export function chooseColumn(sessionId: string, member: string): void {
  change(sessionId, (layout) => ({ ...layout, chosen: member }));
}

export function toggleWide(sessionId: string, member: string): void {
  change(sessionId, ({ wide, ...rest }) => (wide === member ? rest : { ...rest, wide: member }));
}

export function togglePinned(sessionId: string, member: string): void {
  change(sessionId, (layout) => ({ ...layout, pinned: toggled(layout.pinned, member) }));
}

export function toggleHidden(sessionId: string, member: string): void {
  change(sessionId, (layout) => ({ ...layout, hidden: toggled(layout.hidden, member) }));
}

function toggled(members: readonly string[], member: string): readonly string[] {
  return members.includes(member) ? members.filter((one) => one !== member) : [...members, member];
}

/** Members in the order of their columns, without hidden ones; all of them when none would be left. */
export function arrange(members: readonly string[], { pinned, hidden }: ColumnLayout): readonly string[] {
  const shown = members.filter((member) => !hidden.includes(member));
  const kept = shown.length === 0 ? members : shown;
  return [...pinned.filter((member) => kept.includes(member)), ...kept.filter((member) => !pinned.includes(member))];
}
