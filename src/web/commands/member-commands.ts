/** Who sits at the table, and whether they may write. */
import type { MemberSpec } from "../../protocol/index.ts";
import { WRITABLE_LABELS } from "../../transcript/index.ts";
import { listAgents, type AvailableAgent } from "../store/list-agents.ts";
import { memberNames, nameIn, memberNameIn, namedMembers, type WebCommand } from "./command.ts";

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

/** As it is configured or was found; throws with the names that there are. */
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
