/** The members with state, abilities, usage and cost; keys mute and interrupt. */
import {
  contextMeter,
  describeGuard,
  membersInOrder,
  formatModel,
  type Head,
  type MemberState,
} from "../../../transcript/index.ts";
import { memberStatus, shortCount, shortMoney } from "../../app/chrome/format.ts";
import { createListOverlay } from "./list-overlay.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";

const METER_COLUMNS = 10;

export interface MembersOverlayOptions {
  readonly head: () => Head | undefined;
  readonly onMute: (member: string, muted: boolean) => void;
  readonly onInterrupt: (member: string) => void;
  readonly onClose: () => void;
}

export function createMembersOverlay(surface: OverlaySurface, options: MembersOverlayOptions): Overlay {
  return createListOverlay(surface, {
    title: "Members",
    items: () => {
      const head = options.head();
      return head === undefined ? [] : membersInOrder(head);
    },
    idOf: (member) => member.name,
    empty: () => "Nobody is seated. /add NAME KIND seats a member.",
    hints: () => ["m mute", "i interrupt", "Esc close", "↑↓ move"],
    rows: {
      show: (member) => ({
        label: memberLabel(member),
        description: memberFacts(member, options.head()),
        mark: `${memberStatus(member).glyph} `,
        paint: (text) => surface.theme.member(member.name, text, member.spec.color),
      }),
    },
    onKey(key, member, list) {
      if (member === undefined || (key !== "m" && key !== "i")) return false;
      if (key === "m") options.onMute(member.name, !member.muted);
      else if (member.state === "running") options.onInterrupt(member.name);
      else list.note(`${member.name} does nothing that could be interrupted.`);
      return true;
    },
    onClose: options.onClose,
  });
}

function memberLabel(member: MemberState): string {
  const { name, spec } = member;
  const named = formatModel(member);
  return `${name} · ${spec.kind}${named === undefined ? "" : ` · ${named}`}`;
}

function memberFacts(member: MemberState, head: Head | undefined): string[] {
  const { totals } = member;
  const meter = head === undefined ? undefined : contextMeter(head, member.name);
  const guard = head === undefined ? undefined : describeGuard(head, member);
  return [
    memberStatus(member).word,
    ...(guard === undefined ? [] : [guard]),
    ...capabilityFacts(member),
    ...(meter === undefined ? [] : [formatMeter(meter)]),
    `${totals.turns} ${totals.turns === 1 ? "turn" : "turns"}`,
    ...(totals.costUsd !== null && totals.costUsd > 0 ? [shortMoney(totals.costUsd)] : []),
  ];
}

/** Whether it can be steered, and its other abilities. */
function capabilityFacts({ capabilities }: MemberState): string[] {
  return [
    capabilities.steer ? "takes messages while it works" : "gets messages after its turn",
    ...(capabilities.tools ? ["uses tools"] : []),
    ...(capabilities.requests ? ["may ask you"] : []),
    ...(capabilities.images ? ["sees images"] : []),
  ];
}

/** `ctx ▰▰▱▱▱▱▱▱▱▱ 12k/200k (6%)`; estimates have a `~`. */
export function formatMeter(meter: { used: number; window: number; fraction: number; measured: boolean }): string {
  const full = Math.round(meter.fraction * METER_COLUMNS);
  const bar = "▰".repeat(full) + "▱".repeat(METER_COLUMNS - full);
  const about = meter.measured ? "" : "~";
  return `ctx ${bar} ${about}${shortCount(meter.used)}/${shortCount(meter.window)} (${Math.round(meter.fraction * 100)}%)`;
}
