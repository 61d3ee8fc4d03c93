/** All commands of the screen. */
import type { ScreenCommand } from "./command.ts";
import { attach } from "./attach.ts";
import { compact, pin, unpin } from "./compact.ts";
import { copy } from "./copy.ts";
import { goOn, minutes, round } from "./council.ts";
import { diff } from "./diff.ts";
import { exportCommand } from "./export.ts";
import { fork } from "./fork.ts";
import { context, cost, stats } from "./figures.ts";
import { createHelp } from "./help.ts";
import { interrupt, stop } from "./interrupt.ts";
import { add, members, remove } from "./members.ts";
import { effort } from "./effort.ts";
import { model } from "./model.ts";
import { mute, unmute } from "./mute.ts";
import { newSession } from "./new-session.ts";
import { doctor, inbox, ping, quit } from "./program.ts";
import { archive, deleteSession } from "./put-away.ts";
import { permissions } from "./permissions.ts";
import { queue } from "./queue.ts";
import { rename } from "./rename.ts";
import { reset } from "./reset.ts";
import { retry } from "./retry.ts";
import { rewind } from "./rewind.ts";
import { save } from "./save.ts";
import { sessions } from "./sessions.ts";
import { shell } from "./shell.ts";
import { find, search } from "./search.ts";
import { status } from "./status.ts";
import { subagents } from "./subagents.ts";
import { to } from "./to.ts";
import { tryPhrase } from "./try.ts";
import { keys, raw, settings, theme } from "./view.ts";
import { writable } from "./writable.ts";

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
