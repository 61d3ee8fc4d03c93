/** All commands of the screen. */
import type { ScreenCommand } from "./command.ts";
import { attach } from "./messages/attach.ts";
import { compact, pin, unpin } from "./session/compact.ts";
import { copy } from "./screen/copy.ts";
import { goOn, minutes, round } from "./messages/council.ts";
import { diff } from "./screen/diff.ts";
import { exportCommand } from "./session/export.ts";
import { fork } from "./session/fork.ts";
import { context, cost, stats } from "./screen/usage.ts";
import { createHelp } from "./screen/help.ts";
import { interrupt, stop } from "./messages/interrupt.ts";
import { add, members, remove } from "./members/members.ts";
import { effort } from "./members/effort.ts";
import { model } from "./members/model.ts";
import { mute, unmute } from "./members/mute.ts";
import { newSession } from "./session/new-session.ts";
import { doctor, inbox, ping, quit } from "./screen/program.ts";
import { archive, deleteSession } from "./session/archive.ts";
import { permissions } from "./members/permissions.ts";
import { queue } from "./messages/queue.ts";
import { rename } from "./session/rename.ts";
import { reset } from "./session/reset.ts";
import { retry } from "./messages/retry.ts";
import { rewind } from "./session/rewind.ts";
import { save } from "./session/save.ts";
import { sessions } from "./session/sessions.ts";
import { shell } from "./messages/shell.ts";
import { find, search } from "./session/search.ts";
import { status } from "./session/status.ts";
import { subagents } from "./screen/subagents.ts";
import { to } from "./messages/to.ts";
import { tryPhrase } from "./screen/try.ts";
import { keys, raw, settings, theme } from "./screen/view.ts";
import { writable } from "./members/writable.ts";

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

/** By its whole name or alias; never by something near it. */
export function findCommand(name: string): ScreenCommand | undefined {
  return byName.get(name);
}

export const commandNames: readonly string[] = [...byName.keys()];
