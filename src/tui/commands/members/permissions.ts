/** What members may do without asking, and why; what the user has allowed can be taken back. */
import { Permissions, Revoked, type Ack } from "../../../protocol/index.ts";
import { firstWord } from "../../../kit/text/command-line.ts";
import { permissionRows, formatRevoked } from "../../../transcript/index.ts";
import type { Completion } from "../../input/prompt.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";
import type { PermissionsPage } from "../command-deps.ts";

const FORGET = "forget";

export const permissions: ScreenCommand = {
  name: "permissions",
  aliases: ["approvals"],
  usage: `/permissions [${FORGET} N]`,
  summary: `shows what members may do without asking; ${FORGET} takes back what you have allowed`,
  group: "table",
  complete,
  async run(screen, args) {
    const { word, rest } = firstWord(args);
    if (word === "") return screen.showPermissions(await openPage(screen));
    if (word !== FORGET) throw new UsageError(`It takes nothing, or ${FORGET} and a number.`);
    screen.notify(await revoke(screen, numberedId(screen, rest)), "good");
  },
};

/** What the numbers on a screen stand for: those that were shown there last, whatever has changed since. */
const shownOn = new WeakMap<
  CommandScreen,
  { readonly sessionId: string | undefined; readonly ids: readonly string[] }
>();

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
  const listed = Permissions.parse(resultOf(await screen.command({ type: "list_permissions" })));
  const ids = listed.permissions.flatMap(({ permissionId }) => permissionId ?? []);
  shownOn.set(screen, { sessionId: screen.sessionId, ids });
  return listed;
}

async function revoke(screen: CommandScreen, permissionId: string): Promise<string> {
  return formatRevoked(Revoked.parse(resultOf(await screen.command({ type: "revoke_permission", permissionId }))));
}

function numberedId(screen: CommandScreen, given: string): string {
  const shown = shownOn.get(screen);
  if (shown === undefined || shown.sessionId !== screen.sessionId) {
    throw new UsageError("/permissions shows first which number is what.");
  }
  const { ids } = shown;
  const id = /^\d{1,6}$/.test(given.trim()) ? ids[Number(given) - 1] : undefined;
  if (id !== undefined) return id;
  if (ids.length === 0) throw new UsageError("You have allowed nothing that could be taken back.");
  throw new UsageError(`It takes a number from 1 to ${ids.length}.`);
}

function resultOf(ack: Ack): unknown {
  if (ack.ok) return ack.result;
  throw new Error(ack.error.hint === undefined ? ack.error.message : `${ack.error.message} ${ack.error.hint}`);
}

async function complete(screen: CommandScreen, prefix: string): Promise<Completion[]> {
  if (!prefix.startsWith(`${FORGET} `)) {
    const word = { value: `${FORGET} `, label: FORGET, description: "takes back what you have allowed, by its number" };
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
