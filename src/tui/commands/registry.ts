/** All slash commands. */
import type { ScreenCommand } from "./command.ts";
import { attach, goOn, interrupt, minutes, queue, retry, round, shell, stop, to } from "./messages.ts";
import { compact, pin, rewind, unpin } from "./history.ts";
import { copy, createHelp, doctor, inbox, keys, ping, quit, raw, settings, theme, tryPhrase } from "./screen.ts";
import { context, cost, diff, stats, subagents } from "./reports.ts";
import { exportCommand, save } from "./export.ts";
import { archive, deleteSession, find, fork, newSession, rename, reset, search, sessions, status } from "./sessions.ts";
import { add, members, mute, permissions, remove, unmute, writable } from "./members.ts";
import { effort, model } from "./model.ts";

export const screenCommands: readonly ScreenCommand[] = [
  to,
  attach,
  shell,
  retry,
  goOn,
  round,
  minutes,
  interrupt,
  stop,
  queue,
  members,
  mute,
  unmute,
  add,
  remove,
  model,
  effort,
  writable,
  permissions,
  subagents,
  inbox,
  newSession,
  sessions,
  rename,
  fork,
  rewind,
  archive,
  deleteSession,
  status,
  reset,
  compact,
  pin,
  unpin,
  save,
  exportCommand,
  search,
  find,
  copy,
  diff,
  cost,
  context,
  stats,
  raw,
  theme,
  createHelp(() => screenCommands),
  keys,
  settings,
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
