/** Commands about members and write access. */
import type { MemberSpec } from "../../protocol/index.ts";
import { type MemberState, WRITABLE_LABELS } from "../../transcript/index.ts";
import type { PageStore } from "../store/page-store.ts";
import { memberNameIn, memberNames, namedMembers, nameIn, type WebCommand } from "./command.ts";

/** Discovery takes a moment and is requested with every letter of a name. */
const CACHE_MS = 10_000;

const known = new WeakMap<object, { readonly atMs: number; readonly agents: Promise<readonly AvailableAgent[]> }>();

export const memberCommands: readonly WebCommand[] = [
  {
    name: "add",
    usage: "/add NAME",
    summary: "seat a member that is configured or was found on this machine",
    async names(store) {
      const free = availableAgents(await listAgents(store), memberNames(store));
      return free.map(({ name, kind, where }) => ({ name, fact: `${kind} · ${where}` }));
    },
    async run(store, args) {
      const spec = specToAdd(nameIn(args), await listAgents(store), memberNames(store));
      await store.command({ type: "add_member", spec });
      store.notify(`${spec.name} sits at the table.`);
    },
  },
  {
    name: "remove",
    usage: "/remove NAME",
    summary: "a member leaves the table",
    names: namedMembers,
    async run(store, args) {
      const member = memberNameIn(store, args);
      await store.command({ type: "remove_member", member });
      store.notify(`${member} left the table.`);
    },
  },
  {
    name: "writable",
    usage: "/writable [on|off]",
    summary: "say whether members may change files and run commands, or change it",
    async run(store, args) {
      const wanted = args.trim();
      if (wanted === "") {
        const { transcript, planned } = store.getState();
        const { settings } = transcript?.head ?? planned;
        const isOn = settings?.writable === true;
        return store.notify(isOn ? `On: ${WRITABLE_LABELS.on}.` : `Off: ${WRITABLE_LABELS.off}.`);
      }
      if (wanted !== "on" && wanted !== "off") throw new Error("Usage: /writable [on|off]");
      await store.command({ type: "set_settings", settings: { writable: wanted === "on" } });
      store.notify(`From the next turn on, ${WRITABLE_LABELS[wanted]}.`);
    },
  },
  {
    name: "permissions",
    aliases: ["approvals"],
    usage: "/permissions",
    summary: "show what members may do without asking, and take back what you have allowed",
    async run(store, _args, actions) {
      if (store.getState().transcript === undefined) throw new Error("Send a message first to start a session.");
      actions.showPermissions();
    },
  },
];

function availableAgents(here: readonly AvailableAgent[], members: readonly string[]): AvailableAgent[] {
  return here.filter(({ name, canBeSeated }) => canBeSeated && !members.includes(name));
}

/** As configured or discovered; throws with the available names. */
export function specToAdd(name: string, here: readonly AvailableAgent[], members: readonly string[]): MemberSpec {
  if (members.includes(name)) throw new Error(`${name} sits at the table already.`);
  const known = here.find((one) => one.name === name);
  const free = availableAgents(here, members).map((one) => one.name);
  const who = free.length === 0 ? "Nobody else can be seated here." : `Could be seated: ${free.join(", ")}.`;
  if (known === undefined) throw new Error(`There is no "${name.slice(0, 40)}" on this machine. ${who}`);
  const { foundBy: _by, where: _where, canBeSeated, whyNot, sitsDown: _sits, ...spec } = known;
  if (!canBeSeated) throw new Error(`${name} cannot be seated${whyNot === undefined ? "" : `: ${whyNot}`}. ${who}`);
  return spec;
}

/** Agents available on the server's machine. */
export interface AvailableAgent extends MemberSpec {
  readonly foundBy: string;
  readonly where: string;
  readonly canBeSeated: boolean;
  readonly whyNot?: string;
  readonly sitsDown: boolean;
}

/** Rejects with a message when the server does not answer. */
function listAgents(store: PageStore): Promise<readonly AvailableAgent[]> {
  const cached = known.get(store);
  if (cached !== undefined && performance.now() - cached.atMs < CACHE_MS) return cached.agents;
  const agents = ask(store);
  known.set(store, { atMs: performance.now(), agents });
  agents.catch(() => known.delete(store));
  return agents;
}

async function ask(store: PageStore): Promise<readonly AvailableAgent[]> {
  const answer = await store.ask("/v1/agents").catch(() => {
    throw new Error("The server cannot be reached; it knows who can be seated.");
  });
  if (!answer.ok) throw new Error(`The server does not say who can be seated (${answer.status}).`);
  return (await answer.json()) as AvailableAgent[];
}

/** Message after a model switch: a running turn ends with its old model. */
export function formatModelSwitch({ name, state }: MemberState, model: string): string {
  if (state === "running") return `${name} uses ${model} from its next turn on; the running one ends as it began.`;
  return `${name} now uses ${model}.`;
}
