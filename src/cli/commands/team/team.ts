/** `team`: people, links and rights on a team's server, from a machine that is signed in to it. */
import path from "node:path";
import type { Command } from "commander";
import { exitCodes, type ExitCode } from "../../../kit/exit-codes.ts";
import { usageFailure } from "../../../kit/failure.ts";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { SessionSummary } from "../../../protocol/index.ts";
import type { ServerDevice } from "../../../team/index.ts";
import { dataDirectory } from "../../config/paths.ts";
import { openDevice } from "../../connect/team-server.ts";
import type { CommonFlags } from "../../flags.ts";
import { pickSession } from "../../sessions/find-session.ts";
import { stdout } from "../../terminal/stdout.ts";
import { examples, type DeclareCommand, type RunCommand } from "../command.ts";
import { addCommonOptions } from "../options.ts";
import { addPairingOptions, codeRequest, showLink, type PairingFlags } from "../pairing.ts";

interface GrantFlags extends CommonFlags {
  session?: string;
  folder?: string;
}

type LinkFlags = CommonFlags & PairingFlags & { code?: boolean };

export const declareTeam: DeclareCommand = (command, run) => {
  const add = (name: string, about: string, lines: readonly string[]): Command => {
    const child = command.command(name).description(about);
    child.option("--server <url>", "the server, if this machine is signed in to several");
    addCommonOptions(child);
    return child.addHelpText("after", examples(lines));
  };
  add("list", "list people, their machines and open invitations", ["roundtable team list"]).action(
    onServer<CommonFlags>(run, (device) => list(device)),
  );
  add("invite <name>", "print an invitation link, valid once and for a week", ["roundtable team invite bob"])
    .option("--admin", "let this person invite and remove people")
    .action(
      withArgument<CommonFlags & { admin?: boolean }>(run, (device, name, { admin }) => invite(device, name, admin)),
    );
  const link = add("link", "show a link for another of your devices, valid for ten minutes", [
    "roundtable team link",
    "roundtable team link --code",
    "roundtable team link --read-only --days 30",
  ]).option("--code", "print a code to type into a signed-out page instead, valid for a minute");
  addPairingOptions(link).action(
    onServer<LinkFlags>(run, async (device, { code: typed = false, ...flags }) => {
      const { code } = await device.ask<{ code: string }>("/v1/codes", { typed, ...codeRequest(flags) });
      return typed ? `${code}\n` : await showLink(`${device.origin}/#code=${code}`);
    }),
  );
  add(
    "remove <name>",
    "remove a person with their devices and rights, or revoke an invitation; what was shared stays",
    ["roundtable team remove bob"],
  ).action(
    withArgument<CommonFlags>(run, async (device, name) => {
      await device.ask("/v1/team/removals", { name });
      return `Removed ${name}.\n`;
    }),
  );
  add("grant <role> [person]", "give a role (viewer, driver, owner, none) to a person, or to everybody", [
    "roundtable team grant viewer bob --session q5mgaw",
    "roundtable team grant driver bob --folder build-box:/home/ada/project",
    "roundtable team grant none bob --session q5mgaw",
  ])
    .option("--session <id>", "on a session: id, part of an id, or title")
    .option("--folder <machine:path>", "on a folder of one of your machines, and everything below it")
    .action(async (role: string, person: string | undefined, flags: GrantFlags) =>
      run(flags, async (all) => {
        stdout.write(await grant(await openDevice(all), { role, person, flags: all }));
        return exitCodes.ok;
      }),
    );
  add("answers <on|off> <session>", "choose whether drivers may answer requests in your session", [
    "roundtable team answers on q5mgaw",
  ]).action(async (state: string, session: string, flags: CommonFlags) =>
    run(flags, (all) => openAnswers(state, session, all)),
  );
};

async function openAnswers(state: string, session: string, flags: CommonFlags): Promise<ExitCode> {
  if (state !== "on" && state !== "off") throw usageFailure(`"${state}" is neither on nor off`);
  const device = await openDevice(flags);
  const sessionId = await sessionOn(device, session);
  const areOpen = state === "on";
  await device.ask("/v1/team/answers", { sessionId, areOpen });
  const { openAnswersHere } = await import("../../../team/index.ts");
  await openAnswersHere(dataDirectory(process.env, flags.dataDir, process.cwd()), sessionId, areOpen);
  const who = areOpen ? "Its owners and drivers" : "Only its owners";
  stdout.write(`${who} can answer requests in this session.\n${HERE}`);
  return exitCodes.ok;
}

/** The machine itself must confirm it, not the server. */
const HERE = "If the session is on another of your machines, run this there too.\n";

type OnServer<Flags> = (device: ServerDevice, flags: Flags) => Promise<string>;

function onServer<Flags extends CommonFlags>(run: RunCommand, work: OnServer<Flags>) {
  return async (flags: Flags) =>
    run(flags, async (all): Promise<ExitCode> => {
      stdout.write(await work(await openDevice(all), all));
      return exitCodes.ok;
    });
}

function withArgument<Flags extends CommonFlags>(
  run: RunCommand,
  work: (device: ServerDevice, name: string, flags: Flags) => Promise<string>,
) {
  return async (name: string, flags: Flags) => onServer<Flags>(run, (device, all) => work(device, name, all))(flags);
}

interface Team {
  me: { id: string; name: string };
  people: { id: string; name: string; isAdmin: boolean }[];
  runners: { name: string; person: string; isConnected: boolean }[];
  invitations?: { name: string; isAdmin: boolean; by?: string; expiresTs: number }[];
}

async function list(device: ServerDevice): Promise<string> {
  const { me, people, runners, invitations = [] } = await device.ask<Team>("/v1/team");
  const here = people
    .map(({ id, name, isAdmin }) => {
      const about = [...(id === me.id ? ["you"] : []), ...(isAdmin ? ["administrator"] : [])];
      const machines = runners
        .filter(({ person }) => person === name)
        .map((one) => `  ${terminalSafeLine(one.name)}  ${one.isConnected ? "connected" : "not connected"}\n`);
      return `${terminalSafeLine(name)}${about.length === 0 ? "" : ` (${about.join(", ")})`}\n${machines.join("")}`;
    })
    .join("");
  return here + invitations.map(invitationLine).join("");
}

function invitationLine({ name, isAdmin, by, expiresTs }: NonNullable<Team["invitations"]>[number]): string {
  const until = `${new Date(expiresTs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const about = [
    "invited",
    ...(by === undefined ? [] : [`by ${terminalSafeLine(by)}`]),
    ...(isAdmin ? ["as administrator"] : []),
    `until ${until}`,
  ];
  return `${terminalSafeLine(name)} (${about.join(" ")})\n`;
}

async function invite(device: ServerDevice, name: string, isAdmin = false): Promise<string> {
  const { code } = await device.ask<{ code: string }>("/v1/team/invitations", { name, isAdmin });
  return `${device.origin}/#code=${code}\n`;
}

const ROLES = new Set(["viewer", "driver", "owner", "none"]);

async function grant(
  device: ServerDevice,
  { role, person, flags }: { role: string; person: string | undefined; flags: GrantFlags },
): Promise<string> {
  if (!ROLES.has(role)) throw usageFailure(`"${role}" is not a role`, "Roles are viewer, driver, owner and none");
  if ((flags.session === undefined) === (flags.folder === undefined))
    throw usageFailure("the role needs a session or a folder", "Give either --session or --folder");
  const on =
    flags.session === undefined ? folderOf(flags.folder ?? "") : { sessionId: await sessionOn(device, flags.session) };
  const who = person === undefined ? {} : { person };
  const body = { ...who, role: role === "none" ? null : role, ...on };
  const { personId = null } = await device.ask<{ personId?: string }>("/v1/team/access", body);
  // Without an id it would be noted here for everybody.
  if (person !== undefined && personId === null)
    throw new Error(
      `The server did not say who ${person} is. Update Roundtable on the server, then grant the role again`,
    );
  const { noteOwnerHere } = await import("../../../team/index.ts");
  const opened = { personId, ...("folder" in on ? { folder: on.folder } : { sessionId: on.sessionId }) };
  await noteOwnerHere(dataDirectory(process.env, flags.dataDir, process.cwd()), opened, role === "owner");
  const name = person ?? "Everybody";
  const there = role === "owner" ? HERE : "";
  // Roles of single people stay.
  if (role === "none") return `${person ?? "The team as a whole"} no longer has a role there.\n`;
  return `${name} is now ${role === "owner" ? "an" : "a"} ${role} there.\n${there}`;
}

function folderOf(text: string): { runner: string; folder: string } {
  const [, runner, folder] = /^([\w.-]+):(.+)$/.exec(text) ?? [];
  if (runner === undefined || folder === undefined)
    throw usageFailure(`--folder ${text} is not a machine and a folder`, "Write build-box:/home/ada/project");
  return { runner, folder: path.posix.normalize(folder).replace(/(.)\/$/, "$1") };
}

async function sessionOn(device: ServerDevice, given: string): Promise<string> {
  return pickSession(await device.ask<SessionSummary[]>("/v1/sessions"), given);
}
