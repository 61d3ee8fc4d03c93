/** Where this session stands. */
import {
  capMeters,
  contextMeter,
  GUARD_LABELS,
  meterLine,
  roundLine,
  type CapMeter,
  type Head,
  type MemberState,
} from "../../../transcript/index.ts";
import { memberStatus } from "../../app/chrome/member-status.ts";
import { formatMeter } from "../../overlays/lists/members-overlay.ts";
import { refuseArguments, sessionMembers } from "../arguments.ts";
import type { CommandScreen, ScreenCommand } from "../command.ts";

export const status: ScreenCommand = {
  name: "status",
  aliases: ["session"],
  usage: "/status",
  summary: "shows the session, its members and the connection",
  group: "session",
  run(screen, args) {
    refuseArguments(args);
    screen.showText("Status", [...sessionLines(screen), connectionLine(screen)]);
  },
};

function sessionLines(screen: CommandScreen): string[] {
  if (screen.sessionId === undefined) return ["no session yet; it begins with the first message"];
  const head = screen.transcript?.head;
  if (head === undefined) return [`session    ${screen.sessionId}`, "           is being fetched"];
  return [
    `session    ${head.sessionId}`,
    `title      ${head.title}`,
    `directory  ${head.cwd}`,
    `mode       ${head.settings?.mode ?? "unknown"}${head.settings?.writable === true ? ", members may write" : ""}`,
    ...sessionMembers(screen).map((member, index) => {
      const { glyph, word } = memberStatus(member);
      const fields = [`${glyph} ${member.name} (${word})`, modelOf(member), guardOf(member), contextOf(head, member)];
      const facts = fields.filter(Boolean);
      return `${index === 0 ? "members    " : "           "}${facts.join(" · ")}`;
    }),
    ...councilLines(head, screen.now),
    `queue      ${head.queue.length} waiting`,
    `requests   ${head.requests.length} waiting for you`,
  ];
}

function modelOf({ model, spec }: MemberState): string {
  return model ?? spec.model ?? "";
}

function guardOf({ guard }: MemberState): string {
  return guard === undefined ? "" : GUARD_LABELS[guard.kind];
}

function contextOf(head: Head, { name }: MemberState): string {
  const meter = contextMeter(head, name);
  return meter === undefined ? "" : formatMeter(meter);
}

/** How far the discussion is, and how much of each limit is used; a limit that is reached says so. */
function councilLines(head: Head, now: number): string[] {
  const round = roundLine(head);
  const meters = Object.groupBy(capMeters(head, now), ({ scope }) => scope);
  return [
    ...(round === "" ? [] : [`discussion ${round}`]),
    ...metersLine("limits     this message:", meters.message),
    ...metersLine("           the session:", meters.session),
  ];
}

function metersLine(of: string, meters: readonly CapMeter[] = []): string[] {
  const texts = meters.map((meter) => `${meterLine(meter)}${meter.isReached ? " (reached)" : ""}`);
  return texts.length === 0 ? [] : [`${of} ${texts.join(" · ")}`];
}

function connectionLine({ connection }: CommandScreen): string {
  return `connection ${connection.state}${connection.reason === "" ? "" : `: ${connection.reason}`}`;
}
