/** Who sits at the table and what waits there, in words. */
import type { Permissions, QueueItem } from "../../protocol/index.ts";
import {
  contextMeter,
  describeGuard,
  membersInOrder,
  formatModel,
  permissionRows,
  type Head,
} from "../../transcript/index.ts";
import { memberStatus } from "../app/chrome/member-status.ts";
import type { Choice } from "../app/screen/port.ts";
import { sentence, shortened, spokenList, spokenTime } from "./format-spoken.ts";

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

/** Those that can be taken back have a number. */
export function permissionLines(listed: Permissions, now: number): string[] {
  const rows = permissionRows(listed, (ts) => `${spokenTime(now - ts)} ago`);
  const [state, ...others] = rows.map(({ number, label, description }) => {
    return sentence(`${number === undefined ? "" : `${number}: `}${label}, ${description}`);
  });
  return [
    state ?? "",
    ...(listed.permissions.length === 0 ? [] : ["The first of these that fits decides."]),
    ...others,
    ...(rows.some(({ number }) => number !== undefined) ? ["/permissions forget N takes one back by its number."] : []),
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
