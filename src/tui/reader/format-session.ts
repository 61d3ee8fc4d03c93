/** Members, permissions, queue and requests as spoken lines. */
import type { PlannedSession } from "../../client/index.ts";
import { withEllipsis } from "../../kit/text/format.ts";
import type { Permissions, QueueItem } from "../../protocol/index.ts";
import {
  contextMeter,
  describeGuard,
  formatModel,
  type Head,
  membersInOrder,
  permissionRows,
} from "../../transcript/index.ts";
import { memberStatus } from "../app/chrome/format.ts";
import type { Choice } from "../app/screen/port.ts";

/** Longer titles, such as whole commands, are truncated for listening. */
const LINE_CHARS_MAX = 200;

export function memberLines(head: Head): string[] {
  return membersInOrder(head).map((member) => {
    const { name, spec, capabilities, totals } = member;
    const model = formatModel(member);
    const meter = contextMeter(head, name);
    const guard = describeGuard(head, member);
    return [
      `${name}: ${memberStatus(member).word}`,
      `kind ${spec.kind}${model === undefined ? "" : `, model ${model}`}`,
      ...(guard === undefined ? [] : [guard]),
      capabilities.steer ? "takes messages while it works" : "gets messages after its turn",
      ...(meter === undefined ? [] : [`context ${Math.round(meter.fraction * 100)} percent full`]),
      `${totals.turns} ${totals.turns === 1 ? "turn" : "turns"}`,
    ].join(", ");
  });
}

/** Members of a session before its first message. */
export function plannedLines(planned: PlannedSession | undefined): string[] {
  return (planned?.members ?? []).map(({ name, kind, model, effort }) => {
    const muted = planned?.muted.includes(name) === true ? ["muted"] : [];
    const named = model === undefined ? [] : [`model ${model}`];
    return [`${name}: kind ${kind}`, ...named, ...(effort === undefined ? [] : [`${effort} effort`]), ...muted].join(
      ", ",
    );
  });
}

/** Revocable ones have a number. */
export function permissionLines(listed: Permissions, now: number): string[] {
  const rows = permissionRows(listed, (ts) => `${spokenTime(now - ts)} ago`);
  const [state, ...others] = rows.map(({ number, label, description }) => {
    return sentence(`${number === undefined ? "" : `${number}: `}${label}, ${description}`);
  });
  return [
    state ?? "",
    ...(listed.permissions.length === 0 ? [] : ["The first match wins."]),
    ...others,
    ...(rows.some(({ number }) => number !== undefined) ? ["/permissions forget N revokes one by its number."] : []),
  ];
}

export function queueChoices(queue: readonly QueueItem[]): Choice<string>[] {
  return queue.map(({ messageId, to, text }) => ({
    label: shortened(text),
    description: `for ${spokenList(to)}`,
    value: messageId,
  }));
}

export function requestChoices({ requests }: Head, now: number): Choice<string>[] {
  return requests.map(({ requestId, member, request, ts, timeoutMs }) => ({
    label: `${member} asks: ${shortened(request.title)}`,
    description: `${spokenTime(ts + timeoutMs - now)} left`,
    value: requestId,
  }));
}

export function spokenTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function spokenList(items: readonly string[], last = "and"): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;
}

export function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return withEllipsis(line, LINE_CHARS_MAX);
}

/** Ends with a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?…:]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
