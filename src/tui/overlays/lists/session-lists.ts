/** Lists of members, open requests, permissions and display settings. */
import type { PlannedSession } from "../../../client/index.ts";
import {
  contextMeter,
  describeGuard,
  describeRequest,
  formatModel,
  type Head,
  membersInOrder,
  type MemberState,
  type OpenRequest,
  type PermissionRow,
  permissionRows,
  formatRunningTime,
} from "../../../transcript/index.ts";
import { countdown, memberStatus, shortCount, shortMoney } from "../../app/chrome/format.ts";
import type { PermissionsPage } from "../../commands/command.ts";
import { colourOf } from "../../panels/member-name.ts";
import type { Overlay, OverlaySurface } from "../overlay-surface.ts";
import { timeAgo } from "../short-age.ts";
import { createListOverlay, type ListControl } from "./list-overlay.ts";

const REVOKE_KEYS = new Set(["d", "delete", "backspace"]);

const METER_COLUMNS = 10;

export interface MembersOverlayOptions {
  readonly head: () => Head | undefined;
  /** Shown before the first message. */
  readonly planned: () => PlannedSession | undefined;
  readonly onMute: (member: string, muted: boolean) => void;
  readonly onInterrupt: (member: string) => void;
  readonly onAdd: () => void;
  readonly onRemove: (member: string) => void;
  readonly onClose: () => void;
}

function paintMember({ theme }: OverlaySurface, head: Head | undefined, name: string, text: string): string {
  return theme.member(name, text, head === undefined ? undefined : colourOf(head, name));
}

export function createMembersOverlay(surface: OverlaySurface, options: MembersOverlayOptions): Overlay {
  return createListOverlay(surface, {
    title: "Members",
    items: () => listMembers(options),
    idOf: ({ name }) => name,
    empty: () => "No members yet. Press a, or type /add NAME, to add one.",
    hints: () => ["a add", "m mute", "x remove", "i stop", "↑\u00a0↓ move", "Esc close"],
    rows: {
      show: ({ name, label, facts, mark }) => ({
        label,
        description: facts,
        mark: `${mark} `,
        paint: (text) => paintMember(surface, options.head(), name, text),
      }),
    },
    onKey(key, member, list) {
      if (key === "a") options.onAdd();
      if (member === undefined || !["m", "x", "i"].includes(key)) return key === "a";
      if (key === "m") options.onMute(member.name, !member.muted);
      else if (key === "x") options.onRemove(member.name);
      else if (member.isRunning) options.onInterrupt(member.name);
      else list.note(`${member.name} is not working.`);
      return true;
    },
    onClose: options.onClose,
  });
}

interface ListedMember {
  readonly name: string;
  readonly label: string;
  readonly facts: readonly string[];
  readonly mark: string;
  readonly muted: boolean;
  readonly isRunning: boolean;
}

function listMembers({ head, planned }: MembersOverlayOptions): ListedMember[] {
  const shown = head();
  if (shown === undefined) return listPlanned(planned());
  return membersInOrder(shown).map((member) => ({
    name: member.name,
    label: memberLabel(member),
    facts: memberFacts(member, shown),
    mark: memberStatus(member).glyph,
    muted: member.muted,
    isRunning: member.state === "running",
  }));
}

function listPlanned(planned: PlannedSession | undefined): ListedMember[] {
  return (planned?.members ?? []).map((spec) => {
    const muted = planned?.muted.includes(spec.name) === true;
    const label = memberLabel({ name: spec.name, spec, ...(spec.effort === undefined ? {} : { effort: spec.effort }) });
    return { name: spec.name, label, facts: muted ? ["muted"] : [], mark: "●", muted, isRunning: false };
  });
}

function memberLabel(member: Pick<MemberState, "name" | "spec" | "model" | "effort">): string {
  const { name, spec } = member;
  const named = formatModel(member);
  return `${name} · ${spec.kind}${named === undefined ? "" : ` · ${named}`}`;
}

function memberFacts(member: MemberState, head: Head): string[] {
  const { totals } = member;
  const meter = contextMeter(head, member.name);
  const guard = describeGuard(head, member);
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
    ...(capabilities.requests ? ["can ask you"] : []),
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

/** Open requests of all members, oldest first. */
interface InboxOverlayOptions {
  readonly requests: () => readonly OpenRequest[];
  readonly now: () => number;
  readonly colourOf?: ((member: string) => string | undefined) | undefined;
  readonly onPick: (requestId: string) => void;
  readonly onClose: () => void;
}

export function createInboxOverlay(surface: OverlaySurface, options: InboxOverlayOptions): Overlay {
  return createListOverlay(surface, {
    title: "Waiting for you",
    items: options.requests,
    idOf: (request) => request.requestId,
    empty: () => "Nobody is waiting for an answer.",
    hints: () => ["Enter answer", "↑\u00a0↓ move", "Esc close"],
    hasDigits: true,
    rows: {
      show: (request, index) => ({
        label: `${request.member} · ${describeRequest(request).what}`,
        description: formatWait(request, options.now()),
        mark: `${index + 1}. `,
        paint: (text) => surface.theme.member(request.member, text, options.colourOf?.(request.member)),
      }),
    },
    onKey(key, request) {
      if (key !== "enter") return false;
      if (request !== undefined) options.onPick(request.requestId);
      return true;
    },
    onClose: options.onClose,
  });
}

function formatWait({ ts, timeoutMs }: OpenRequest, now: number): string[] {
  const left = ts + timeoutMs - now;
  return [`asked ${formatRunningTime(now - ts)} ago`, left > 0 ? `${countdown(left)} left` : "time is up"];
}

/** Permission rules in order of precedence; the user's own grants can be revoked. */
interface PermissionsOverlayOptions extends PermissionsPage {
  readonly now: () => number;
  readonly onClose: () => void;
}

export function createPermissionsOverlay(surface: OverlaySurface, options: PermissionsOverlayOptions): Overlay {
  const rows = () => permissionRows(options.list(), (ts) => timeAgo(options.now() - ts));
  let isRevoking = false;

  /** Ignores a second key while the list is being fetched, since rows are about to move. */
  async function revoke(permissionId: string, list: ListControl): Promise<void> {
    if (isRevoking) return;
    isRevoking = true;
    try {
      list.note(await options.revoke(permissionId), "ok");
    } catch (error) {
      list.note(error instanceof Error ? error.message : String(error));
    } finally {
      isRevoking = false;
      surface.tui.requestRender();
    }
  }

  return createListOverlay<PermissionRow>(surface, {
    title: "Permissions",
    corner: () => "first match wins",
    items: rows,
    idOf: ({ permissionId, label, description }) => permissionId ?? `${label}\0${description}`,
    empty: () => "",
    hints: () => ["d revoke", "↑\u00a0↓ move", "Esc close"],
    rows: {
      show: ({ label, description, number }) => ({
        label,
        description,
        mark: number === undefined ? "·  " : `${number}. `,
      }),
    },
    onKey(key, row, list) {
      const isRevokeKey = REVOKE_KEYS.has(key);
      if (!isRevokeKey && key !== "enter") return false;
      const { permissionId, why = "" } = row ?? {};
      if (permissionId === undefined) list.note(why);
      else if (isRevokeKey) void revoke(permissionId, list);
      else list.note("Press d to revoke it.");
      return true;
    },
    onClose: options.onClose,
  });
}

/** Display settings with their values; changes apply at once. */
export interface ScreenSetting {
  readonly label: string;
  readonly description?: string | undefined;
  readonly value: string;
  readonly values: readonly string[];
  readonly set: (value: string) => void;
}

interface SettingsOverlayOptions {
  /** Read at every drawing. */
  readonly settings: () => readonly ScreenSetting[];
  readonly onClose: () => void;
}

export function createSettingsOverlay(surface: OverlaySurface, options: SettingsOverlayOptions): Overlay {
  return createListOverlay(surface, {
    title: "Settings",
    items: options.settings,
    idOf: (setting) => setting.label,
    empty: () => "No settings.",
    hints: () => ["Enter next value", "←\u00a0→ change", "↑\u00a0↓ move", "Esc close"],
    rows: {
      show: (setting) => ({
        label: `${setting.label}: ‹${setting.value}›`,
        description: setting.description,
        mark: "",
      }),
    },
    onKey(key, setting) {
      const step =
        key === "left" || key === "h"
          ? -1
          : key === "right" || key === "l" || key === "enter" || key === "space"
            ? 1
            : 0;
      if (step === 0) return false;
      if (setting !== undefined) turn(setting, step);
      return true;
    },
    onClose: options.onClose,
  });
}

/** Cycles; an unknown value is replaced by the first. */
function turn({ value, values, set }: ScreenSetting, step: number): void {
  const next = values[(values.indexOf(value) + step + values.length) % values.length];
  if (next !== undefined) set(next);
}
