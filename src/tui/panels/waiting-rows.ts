/** Members about to speak: recipients of a message, and the next ones of a round. */
import {
  heldMembers,
  isRunning,
  membersInOrder,
  roundView,
  type Head,
  type MemberState,
} from "../../transcript/index.ts";
import { oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { memberLabel } from "./member-name.ts";
import type { PanelContext } from "./panel.ts";
import { MARGIN_WIDTH_MIN } from "./turn-panel.ts";

export interface WaitingMember {
  readonly member: string;
  /** After the name: "is next in round 2". */
  readonly why: string;
}

/**
 * Recipients in member order, then the rest of the round in speaking order. A member with an open turn has a panel and
 * waits only for a later message.
 */
export function waitingMembers(head: Head): WaitingMember[] {
  const pending = membersWithMail(head);
  const held = new Set(heldMembers(head));
  const recipients = membersInOrder(head).filter(({ name }) => pending.has(name));
  const isInTurn = head.settings?.mode === "sequential" && isRunning(head);
  const next = isInTurn ? recipients.find(({ name, state }) => state !== "running" && !held.has(name)) : undefined;
  const mail = recipients.map((member) => ({
    member: member.name,
    why: member === next ? "is next" : whyMailWaits(member, held),
  }));
  const isFree = (name: string) => !pending.has(name) && head.members[name]?.state !== "running";
  return [...mail, ...speakersToCome(head).filter(({ member }) => isFree(member))];
}

function whyMailWaits({ name, state, capabilities }: MemberState, held: ReadonlySet<string>): string {
  if (state === "running") {
    return capabilities.steer ? "sees your message at its next step" : "will see your message after this turn";
  }
  return held.has(name) ? "is held until your next message or /continue" : "waits to answer";
}

/** The rest of the round; at its end, the first of the next one. */
function speakersToCome(head: Head): WaitingMember[] {
  const view = roundView(head);
  if (view?.next === undefined) return [];
  const { number, waiting, next, running } = view;
  if (waiting.length === 0)
    return running.length > 0 ? [] : [{ member: next, why: `is next and opens round ${number + 1}` }];
  return waiting.map((member, index) => ({
    member,
    why: `${index === 0 ? "is next" : "comes later"} in round ${number}`,
  }));
}

function membersWithMail(head: Head): Set<string> {
  const names = new Set<string>();
  for (const deliveries of Object.values(head.deliveries)) {
    for (const [name, { state }] of Object.entries(deliveries)) if (state === "pending") names.add(name);
  }
  return names;
}

interface Drawn {
  readonly key: string;
  readonly theme: Theme;
  readonly width: number;
  readonly rows: readonly string[];
}

/** Returns the same array until something changes. One instance per log. */
export function createWaitingRows(): (context: PanelContext, width: number) => readonly string[] {
  let head: Head | undefined;
  let drawn: Drawn = { key: "", theme: {} as Theme, width: 0, rows: [] };
  return ({ theme, transcript }, width) => {
    const isSameHead =
      head?.deliveries === transcript.head.deliveries &&
      head.members === transcript.head.members &&
      head.round === transcript.head.round &&
      head.council === transcript.head.council &&
      head.settings === transcript.head.settings &&
      isRunning(head) === isRunning(transcript.head);
    if (isSameHead && drawn.theme === theme && drawn.width === width) return drawn.rows;
    head = transcript.head;
    const waiting = waitingMembers(head);
    const key = waiting.map(({ member, why }) => `${member} ${why}`).join("\n");
    if (key === drawn.key && drawn.theme === theme && drawn.width === width) return drawn.rows;
    const rows = waiting.map(({ member, why }) =>
      oneRow(
        `${width < MARGIN_WIDTH_MIN ? "" : " "}${theme.glyph("waiting")} ${memberLabel(transcript.head, theme, member)} ${theme.paint("quiet", why)}`,
        width,
      ),
    );
    drawn = { key, theme, width, rows: rows.length === 0 ? rows : [...rows, ""] };
    return drawn.rows;
  };
}
