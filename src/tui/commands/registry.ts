/** All slash commands. */
import type { ScreenCommand } from "./command.ts";
import { attach, budget, goOn, interrupt, minutes, queue, retry, round, shell, stop, to } from "./messages.ts";
import { compact, pin, rewind, unpin } from "./history.ts";
import { copy, createHelp, doctor, inbox, keys, ping, quit, raw, settings, theme, tryPhrase, view } from "./screen.ts";
import { context, cost, diff, stats, subagents } from "./reports.ts";
import { exportCommand, save } from "./export.ts";
import { archive, deleteSession, find, fork, newSession, rename, reset, search, sessions, status } from "./sessions.ts";
import { add, members, mute, permissions, remove, unmute, writable } from "./members.ts";
import { effort, model } from "./model.ts";
import { share, unshare } from "./share.ts";

/** Most used first, as the menu lists them. */
export const screenCommands: readonly ScreenCommand[] = [
  model,
  diff,
  writable,
  members,
  retry,
  rewind,
  sessions,
  newSession,
  to,
  attach,
  queue,
  effort,
  view,
  stop,
  interrupt,
  goOn,
  round,
  minutes,
  inbox,
  copy,
  cost,
  budget,
  context,
  status,
  compact,
  fork,
  rename,
  archive,
  share,
  unshare,
  search,
  find,
  add,
  remove,
  mute,
  unmute,
  permissions,
  shell,
  subagents,
  save,
  exportCommand,
  pin,
  unpin,
  raw,
  theme,
  settings,
  keys,
  createHelp(() => screenCommands),
  stats,
  reset,
  deleteSession,
  doctor,
  ping,
  tryPhrase,
  quit,
];

const byName: ReadonlyMap<string, ScreenCommand> = new Map(
  screenCommands.flatMap((command) => [command.name, ...(command.aliases ?? [])].map((name) => [name, command])),
);

/** By exact name or alias; suggestions are never executed. */
export function findCommand(name: string): ScreenCommand | undefined {
  return byName.get(name);
}

export const commandNames: readonly string[] = [...byName.keys()];
