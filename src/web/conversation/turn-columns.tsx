/** Turns that ran at the same time, side by side; as tabs where there is room for one. */
import { type CSSProperties, memo, useSyncExternalStore } from "react";
import {
  isQuietTurn,
  memberStyle,
  memberStyles,
  messageAt,
  turnGroupAt,
  type Transcript,
  type TurnMessage,
} from "../../transcript/index.ts";
import { inPlainSight } from "../format/plain-sight.ts";
import { readStacked, storeStacked } from "../store/local-storage.ts";
import { PHONE, useMedia } from "../store/use-media.ts";
import { useApp, useHead } from "../store/use-store.ts";
import { Chip, IconButton } from "../ui/button.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { LiveBars, MemberSign } from "../ui/sign.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { TurnView } from "./messages/turn-message.tsx";

/** Positions of the turns that are drawn side by side with this one; undefined for one that is drawn alone. */
export function columnsAt(transcript: Transcript, position: number): readonly number[] | undefined {
  const group = turnGroupAt(transcript, position);
  // A round to which nobody has anything to add is one line.
  return group?.some((at) => !isQuiet(transcript, at)) === true ? group : undefined;
}

function isQuiet(transcript: Transcript, position: number): boolean {
  const turn = messageAt(transcript, position);
  return turn?.kind === "turn" && isQuietTurn(turn);
}

function turnAt(transcript: Transcript | undefined, position: number): TurnMessage | undefined {
  const message = transcript === undefined ? undefined : messageAt(transcript, position);
  return message?.kind === "turn" ? message : undefined;
}

export function TurnColumns({ positions }: { positions: readonly number[] }) {
  // By position: live and replayed rows are the same.
  const id = `columns-${positions[0] ?? 0}`;
  const sessionId = useApp((state) => state.sessionId) ?? "";
  const layout = useColumnLayout(sessionId);
  const isStacked = useStacked();
  const names = useApp(({ transcript }) => positions.map((at) => turnAt(transcript, at)?.member ?? "").join("\n"));
  const round = useApp(({ transcript }) => turnAt(transcript, positions[0] ?? 0)?.round ?? 1);
  const isLast = useHead(({ messageCount }) => positions.at(-1) === messageCount - 1) ?? false;
  const styles = useHead(memberStyles) ?? NO_STYLES;
  const members = names.split("\n");
  const shown = arrange(members, layout);
  const hidden = members.filter((member) => !shown.includes(member));
  const asking = useApp(({ transcript }) => positions.map((at) => turnAt(transcript, at)).find(isAsking)?.member);
  const chosen = shown.find((member) => member === (layout.chosen ?? asking)) ?? shown[0];
  const tracks = shown.length + (layout.wide !== undefined && shown.includes(layout.wide) && shown.length > 1 ? 1 : 0);
  return (
    <section
      className="columns"
      data-stacked={isStacked}
      data-last={isLast}
      aria-label={`Answers from ${members.join(", ")}`}
    >
      {round < 2 ? null : (
        <p className="round">
          <b>Round {round}</b>
        </p>
      )}
      {hidden.length === 0 ? null : <Hidden members={hidden} onShow={(member) => toggleHidden(sessionId, member)} />}
      {isStacked ? null : (
        <Tabs
          label="Members"
          prefix={id}
          chosen={chosen}
          onChoose={(member) => chooseColumn(sessionId, member)}
          tabs={shown.map((member) => ({
            id: member,
            hue: memberStyle(styles, member).hue,
            label: <TabLabel member={member} position={positions[members.indexOf(member)] ?? 0} />,
          }))}
        />
      )}
      <div className="cols" style={{ "--n": tracks } as CSSProperties}>
        {shown.map((member) => (
          <Column
            key={member}
            id={`${id}-panel-${member}`}
            position={positions[members.indexOf(member)] ?? 0}
            isShown={member === chosen}
            isWide={member === layout.wide}
            menu={shown.length + hidden.length < 2 ? NO_MENU : menuOf(sessionId, member, layout)}
          />
        ))}
      </div>
      {shown.length < 2 || isStacked ? null : <Dots members={shown} chosen={chosen} />}
    </section>
  );
}

/** Which of the answers is shown, on phones. */
function Dots({ members, chosen }: { members: readonly string[]; chosen: string | undefined }) {
  const styles = useHead(memberStyles) ?? NO_STYLES;
  return (
    <div className="dots" aria-hidden="true">
      {members.map((member) => (
        <i key={member} data-hue={memberStyle(styles, member).hue} data-on={member === chosen} />
      ))}
    </div>
  );
}

const NO_MENU: readonly MenuItem[] = [];
const NO_STYLES: ReturnType<typeof memberStyles> = new Map();

function menuOf(sessionId: string, member: string, { wide, pinned }: ColumnLayout): readonly MenuItem[] {
  const isPinned = pinned.includes(member);
  return [
    wide === member
      ? { label: "Narrow", icon: "minimize-2", onChoose: () => toggleWide(sessionId, member) }
      : { label: "Widen", icon: "maximize-2", onChoose: () => toggleWide(sessionId, member) },
    {
      label: isPinned ? "Unpin column" : "Pin to the left",
      icon: "pin",
      onChoose: () => togglePinned(sessionId, member),
    },
    { label: "Hide column", icon: "eye-off", onChoose: () => toggleHidden(sessionId, member) },
  ];
}

function Hidden({ members, onShow }: { members: readonly string[]; onShow: (member: string) => void }) {
  return (
    <div className="hidden-columns" role="group" aria-label="Hidden columns">
      {members.map((member) => (
        <Chip key={member} onClick={() => onShow(member)}>
          <MemberSign name={member} size="s" />
          Show {inPlainSight(member)}
        </Chip>
      ))}
    </div>
  );
}

function TabLabel({ member, position }: { member: string; position: number }) {
  return (
    <span className="tab-label">
      <MemberSign name={member} size="s" />
      {inPlainSight(member)}
      <TabState position={position} />
    </span>
  );
}

function TabState({ position }: { position: number }) {
  const state = useApp(({ transcript }) => {
    const turn = turnAt(transcript, position);
    if (turn === undefined || turn.end !== undefined) return "done";
    return isAsking(turn) ? "asking" : "running";
  });
  if (state === "done") return null;
  if (state === "running") return <LiveBars />;
  return (
    <>
      <span className="dot warn" aria-hidden="true" />
      <span className="unseen"> needs you</span>
    </>
  );
}

function isAsking(turn: TurnMessage | undefined): boolean {
  return turn?.end === undefined && (turn?.blocks.some(isOpenRequest) ?? false);
}

function isOpenRequest(block: TurnMessage["blocks"][number]): boolean {
  return block.kind === "request" && block.state === "open";
}

interface ColumnProps {
  readonly id: string;
  readonly position: number;
  readonly isShown: boolean;
  readonly isWide: boolean;
  readonly menu: readonly MenuItem[];
}

/** Reads its own turn: what one member writes does not draw the columns of others. */
const Column = memo(function Column({ id, position, isShown, isWide, menu }: ColumnProps) {
  const turn = useApp(({ transcript }) => turnAt(transcript, position));
  if (turn === undefined) return null;
  return (
    <div id={id} className="col" data-shown={isShown} data-wide={isWide}>
      <TurnView turn={turn} menu={menu} isColumn />
    </div>
  );
});

/** Which columns a person has widened, pinned or hidden in the open session, by member. Kept until the page is left. */
interface ColumnLayout {
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

function useColumnLayout(sessionId: string): ColumnLayout {
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

/** In every session of this browser; a phone has room for tabs only. */
let isStackedHere = readStacked();

function useStacked(): boolean {
  const isPhone = useMedia(PHONE);
  const isStacked = useSyncExternalStore(subscribe, () => isStackedHere);
  return isStacked && !isPhone;
}

/** Answers to one message side by side, or one below another. */
export function ColumnsButton() {
  const isPhone = useMedia(PHONE);
  const isStacked = useStacked();
  const hasSeveral = useHead(({ members }) => Object.keys(members).length > 1) ?? false;
  if (isPhone || !hasSeveral) return null;
  return (
    <IconButton
      icon={isStacked ? "rows-3" : "columns-3"}
      label={isStacked ? "Show answers side by side" : "Stack answers"}
      onClick={() => {
        isStackedHere = !isStacked;
        storeStacked(isStackedHere);
        for (const listener of listeners) listener();
      }}
    />
  );
}

function chooseColumn(sessionId: string, member: string): void {
  change(sessionId, (layout) => ({ ...layout, chosen: member }));
}

/** For a message that was looked for. */
export function showColumn(sessionId: string, member: string): void {
  change(sessionId, ({ hidden, ...layout }) => ({
    ...layout,
    hidden: hidden.filter((one) => one !== member),
    chosen: member,
  }));
}

function toggleWide(sessionId: string, member: string): void {
  change(sessionId, ({ wide, ...rest }) => (wide === member ? rest : { ...rest, wide: member }));
}

function togglePinned(sessionId: string, member: string): void {
  change(sessionId, (layout) => ({ ...layout, pinned: toggled(layout.pinned, member) }));
}

function toggleHidden(sessionId: string, member: string): void {
  change(sessionId, (layout) => ({ ...layout, hidden: toggled(layout.hidden, member) }));
}

function toggled(members: readonly string[], member: string): readonly string[] {
  return members.includes(member) ? members.filter((one) => one !== member) : [...members, member];
}

/** Members in the order of their columns, without hidden ones; all of them when none would be left. */
function arrange(members: readonly string[], { pinned, hidden }: ColumnLayout): readonly string[] {
  const shown = members.filter((member) => !hidden.includes(member));
  const visible = shown.length === 0 ? members : shown;
  return [
    ...pinned.filter((member) => visible.includes(member)),
    ...visible.filter((member) => !pinned.includes(member)),
  ];
}
