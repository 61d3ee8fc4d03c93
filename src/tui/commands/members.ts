/** /members, /add, /remove, /mute, /unmute, /writable, /permissions. */
import { firstWord } from "../../kit/text/command-line.ts";
import { type Ack, AgentKind, MemberName, type MemberSpec, Permissions, Revoked } from "../../protocol/index.ts";
import { WRITABLE_LABELS as EFFECTS, formatRevoked, formatWritable, permissionRows } from "../../transcript/index.ts";
import type { Completion } from "../input/prompt.ts";
import {
  completeKeywords,
  completeMembers,
  memberArgument,
  memberNames,
  nearNames,
  refuseArguments,
  doneBeforeLog,
  sendCommand,
  sessionMembers,
  shownTranscript,
} from "./arguments.ts";
import {
  type CommandScreen,
  type PermissionsPage,
  type ScreenCommand,
  UnavailableError,
  UsageError,
} from "./command.ts";

const FORGET = "forget";

export const permissions: ScreenCommand = {
  name: "permissions",
  aliases: ["approvals"],
  usage: `/permissions [${FORGET} N]`,
  summary: "Review or revoke permissions",
  group: "table",
  complete,
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    if (word === "") return screen.showPermissions(await openPage(screen));
    if (word !== FORGET) throw new UsageError(`/permissions takes no arguments, or ${FORGET} and a number.`);
    screen.notify(await revoke(screen, numberedId(screen, rest)), "ok");
  },
};

/** Numbers of permissions as last shown on each screen; the list may have changed since. */
const shownOn = new WeakMap<
  CommandScreen,
  { readonly sessionId: string | undefined; readonly ids: readonly string[] }
>();

export const writable: ScreenCommand = {
  name: "writable",
  usage: "/writable [on|off]",
  summary: "Let members edit and run commands",
  group: "table",
  complete: (_, prefix) => completeKeywords(EFFECTS, prefix),
  async run(screen, args) {
    const wanted = args.trim();
    if (wanted === "") {
      const isOn =
        screen.sessionId === undefined
          ? screen.planned?.settings.writable === true
          : shownTranscript(screen).head.settings?.writable === true;
      return screen.notify(formatWritable(isOn));
    }
    if (wanted !== "on" && wanted !== "off") throw new UsageError("On or off?");
    await sendCommand(
      screen,
      { type: "set_settings", settings: { writable: wanted === "on" } },
      wanted === "on"
        ? "Writable from the next turn. Members ask before each change or command unless a rule allows it."
        : "Read-only from the next turn.",
    );
  },
};

export const mute: ScreenCommand = {
  name: "mute",
  usage: "/mute NAME",
  summary: "Stop asking a member",
  group: "table",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  run: (screen, args) => setMuted(screen, args, { muted: true }),
};

export const unmute: ScreenCommand = {
  name: "unmute",
  usage: "/unmute NAME",
  summary: "Ask a muted member again",
  group: "table",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  run: (screen, args) => setMuted(screen, args, { muted: false }),
};

export const members: ScreenCommand = {
  name: "members",
  aliases: ["agents"],
  usage: "/members",
  summary: "Add, remove or mute members",
  group: "table",
  run(screen, args) {
    refuseArguments(args);
    screen.showMembers();
  },
};

export const add: ScreenCommand = {
  name: "add",
  usage: "/add NAME [KIND] [MODEL]",
  summary: "Add a member",
  group: "table",
  async complete(screen, prefix) {
    const [, name = "", kind = ""] = /^(\S+)\s+(\S*)$/.exec(prefix) ?? [];
    const specs = await screen.candidateMembers();
    if (name !== "") return offered([...specs, ...bareKinds(specs)], kind, (value) => `${name} ${value}`);
    const joined = new Set(memberNames(screen));
    return offered(
      [...specs, ...bareKinds(specs)].filter((spec) => !joined.has(spec.name)),
      prefix,
      (value) => value,
    );
  },
  async run(screen, args) {
    const { word: given, rest } = firstWord(args);
    const { word: like, rest: model } = firstWord(rest);
    const name = given.replace(/^@/, "");
    const named = MemberName.safeParse(name);
    if (name === "") throw new UsageError("Which member?");
    if (!named.success) throw new UsageError(`"${name}" is not a valid name: ${named.error.issues[0]?.message ?? ""}.`);
    if (memberNames(screen).includes(name)) {
      throw new UsageError(`There is already a member "${name}".`);
    }
    const known = await specFor(screen, like === "" ? name : like);
    const spec = { ...known, name, ...(model === "" ? {} : { model }) };
    const details = [spec.kind, spec.model ?? ""].join(" ").trim();
    await sendCommand(screen, { type: "add_member", spec }, doneBeforeLog(screen, `Added ${name} (${details}).`));
  },
};

/** By configured or discovered name, else by kind. */
async function specFor(screen: CommandScreen, given: string): Promise<MemberSpec> {
  const specs = await screen.candidateMembers();
  const known = [...specs, ...bareKinds(specs)];
  const spec = known.find(({ name }) => name === given);
  if (spec !== undefined) return spec;
  const near = nearNames(
    given,
    known.map(({ name }) => name),
  );
  const names = `Available: ${specs.map(({ name }) => name).join(", ") || "none"}. Kinds: ${AgentKind.options.join(", ")}.`;
  throw new UsageError(
    `There is no agent "${given}".${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`} ${names}`,
  );
}

/** Kinds that are not also the name of a candidate. */
function bareKinds(specs: readonly MemberSpec[]): MemberSpec[] {
  return AgentKind.options
    .filter((kind) => specs.every(({ name }) => name !== kind))
    .map((kind) => ({ name: kind, kind }));
}

function offered(specs: readonly MemberSpec[], prefix: string, valueOf: (name: string) => string) {
  const wanted = prefix.replace(/^@/, "");
  return specs
    .filter(({ name }) => name.startsWith(wanted))
    .map(({ name, kind, model }) => ({
      value: valueOf(name),
      label: name,
      description: name === kind && model === undefined ? "kind of agent" : [kind, model ?? ""].join(" ").trim(),
    }));
}

export const remove: ScreenCommand = {
  name: "remove",
  usage: "/remove NAME",
  summary: "Remove a member",
  group: "table",
  complete: (screen, prefix) => completeMembers(screen, prefix),
  async run(screen, args) {
    const member = memberArgument(screen, args.trim());
    await sendCommand(screen, { type: "remove_member", member }, doneBeforeLog(screen, `Removed ${member}.`));
  },
};

/** A muted member stays in the session and receives nothing until it is unmuted. */
async function setMuted(screen: CommandScreen, args: string, { muted }: { muted: boolean }): Promise<void> {
  const member = memberArgument(screen, args.trim());
  const isSo = sessionMembers(screen).some((one) => one.name === member && one.muted === muted);
  const done = isSo
    ? `${member} is ${muted ? "already muted" : "not muted"}.`
    : doneBeforeLog(screen, muted ? `Muted ${member}.` : `Unmuted ${member}.`);
  await sendCommand(screen, { type: muted ? "mute" : "unmute", member }, done, isSo ? "quiet" : "ok");
}

async function openPage(screen: CommandScreen): Promise<PermissionsPage> {
  let listed = await fetchList(screen);
  return {
    list: () => listed,
    async revoke(permissionId) {
      const message = await revoke(screen, permissionId);
      listed = await fetchList(screen);
      return message;
    },
  };
}

async function fetchList(screen: CommandScreen): Promise<Permissions> {
  const listed = parsed(Permissions, await screen.command({ type: "list_permissions" }));
  const ids = listed.permissions.flatMap(({ permissionId }) => permissionId ?? []);
  shownOn.set(screen, { sessionId: screen.sessionId, ids });
  return listed;
}

async function revoke(screen: CommandScreen, permissionId: string): Promise<string> {
  return formatRevoked(parsed(Revoked, await screen.command({ type: "revoke_permission", permissionId })));
}

function numberedId(screen: CommandScreen, given: string): string {
  const shown = shownOn.get(screen);
  if (shown === undefined || shown.sessionId !== screen.sessionId) {
    throw new UnavailableError("Show /permissions first to see the numbers.");
  }
  const { ids } = shown;
  const id = /^\d{1,6}$/.test(given.trim()) ? ids[Number(given) - 1] : undefined;
  if (id !== undefined) return id;
  if (ids.length === 0) throw new UnavailableError("There is nothing to revoke.");
  throw new UsageError(`Which one, from 1 to ${ids.length}?`);
}

function parsed<Value>(schema: { safeParse(value: unknown): { data?: Value } }, ack: Ack): Value {
  const { data } = schema.safeParse(resultOf(ack));
  if (data === undefined) throw new Error("The server answered in a way that this version does not understand.");
  return data;
}

function resultOf(ack: Ack): unknown {
  if (ack.ok) return ack.result;
  throw new UnavailableError(
    ack.error.hint === undefined ? ack.error.message : `${ack.error.message} ${ack.error.hint}`,
  );
}

async function complete(screen: CommandScreen, prefix: string): Promise<Completion[]> {
  if (!prefix.startsWith(`${FORGET} `)) {
    const word = { value: `${FORGET} `, label: FORGET, description: "revoke a permission by its number" };
    return FORGET.startsWith(prefix) ? [word] : [];
  }
  const wanted = prefix.slice(FORGET.length).trim();
  const listed = await fetchList(screen);
  return permissionRows(listed, () => "").flatMap(({ number, label }) =>
    number === undefined || !String(number).startsWith(wanted)
      ? []
      : [{ value: `${FORGET} ${number}`, label: String(number), description: label }],
  );
}
