/** Commands about members and write access. */
import type { MemberSpec } from "../../protocol/index.ts";
import { type MemberState, WRITABLE_LABELS, formatWritable } from "../../transcript/index.ts";
import { canJoin, listAgents, specOf, unusedAgents, type AvailableAgent } from "../store/available-agents.ts";
import { memberNameIn, memberNames, namedMembers, nameIn, type WebCommand } from "./command.ts";

export const memberCommands: readonly WebCommand[] = [
  {
    name: "add",
    usage: "/add NAME",
    summary: "Add a member",
    async names(store) {
      const free = unusedAgents(await listAgents(store.ask), memberNames(store));
      return free.map(({ name, kind, where }) => ({ name, fact: `${kind} · ${where}` }));
    },
    async run(store, args) {
      const spec = specToAdd(nameIn(args), await listAgents(store.ask), memberNames(store));
      await store.command({ type: "add_member", spec });
      store.notify(`${spec.name} joined.`);
    },
  },
  {
    name: "remove",
    usage: "/remove NAME",
    summary: "Remove a member",
    names: namedMembers,
    async run(store, args) {
      const member = memberNameIn(store, args);
      await store.command({ type: "remove_member", member });
      store.notify(`${member} left.`);
    },
  },
  {
    name: "writable",
    usage: "/writable [on|off]",
    summary: "Let members edit and run commands",
    async run(store, args) {
      const wanted = args.trim();
      if (wanted === "") {
        const { transcript, planned } = store.getState();
        const { settings } = transcript?.head ?? planned;
        const isOn = settings?.writable === true;
        return store.notify(formatWritable(isOn));
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
    summary: "Review or revoke permissions",
    async run(store, _args, actions) {
      if (store.getState().transcript === undefined) throw new Error("Send a message first to start a session.");
      actions.showPermissions();
    },
  },
];

/** As configured or discovered; throws with the available names. */
export function specToAdd(name: string, here: readonly AvailableAgent[], members: readonly string[]): MemberSpec {
  if (members.includes(name)) throw new Error(`${name} is already a member.`);
  const known = here.find((one) => one.name === name);
  const free = unusedAgents(here, members).map((one) => one.name);
  const who = free.length === 0 ? "No other members available." : `Available: ${free.join(", ")}.`;
  if (known === undefined) throw new Error(`There is no "${name.slice(0, 40)}" on this machine. ${who}`);
  const { whyNot } = known;
  if (!canJoin(known)) throw new Error(`${name} can't join${whyNot === undefined ? "" : `: ${whyNot}`}. ${who}`);
  return specOf(known);
}

/** Message after a model switch: a running turn ends with its old model. */
export function formatModelSwitch({ name, state }: MemberState, model: string): string {
  if (state === "running") return `${name} will use ${model} from its next turn. The current turn is not affected.`;
  return `${name} now uses ${model}.`;
}
