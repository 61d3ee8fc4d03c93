/** What can be typed, in groups; of one command, what it takes. */
import { UsageError, type CommandGroup, type ScreenCommand } from "../command.ts";
import { nearNames } from "../near-names.ts";

const GROUPS: Readonly<Record<CommandGroup, string>> = {
  talk: "Talking",
  table: "The table",
  session: "Sessions",
  view: "Looking",
  program: "The program",
};

/** `all` is asked when help is shown, so help knows commands that are made after it. */
export function createHelp(all: () => readonly ScreenCommand[]): ScreenCommand {
  return {
    name: "help",
    usage: "/help [COMMAND]",
    summary: "lists the commands, or says what one takes",
    group: "program",
    complete: (_screen, prefix) =>
      all()
        .filter(({ name }) => name.startsWith(prefix.replace(/^\//, "")))
        .map(({ name, summary }) => ({ value: name, label: name, description: summary })),
    run(screen, args) {
      const wanted = args.replace(/^\//, "");
      if (wanted === "") return screen.showText("Commands", helpLines(all()));
      const command = all().find(({ name, aliases = [] }) => name === wanted || aliases.includes(wanted));
      if (command === undefined) {
        const near = nearNames(
          wanted,
          all().map(({ name }) => name),
        );
        throw new UsageError(
          `There is no command /${wanted}.${near.length === 0 ? "" : ` Nearest: ${near.map((name) => `/${name}`).join(", ")}.`}`,
        );
      }
      screen.notify(`${command.usage}: ${command.summary}${formatAliases(command)}`);
    },
  };
}

function helpLines(commands: readonly ScreenCommand[]): string[] {
  const longest = Math.max(...commands.map(({ usage }) => usage.length));
  const groups = Object.entries(GROUPS).flatMap(([group, title]) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map((command) => `  ${command.usage.padEnd(longest)}  ${command.summary}${formatAliases(command)}`);
    return [title, lines, ""].flat();
  });
  return [...groups, "A path or // at the beginning is a message, not a command. /keys shows the keys."];
}

function formatAliases({ aliases = [] }: ScreenCommand): string {
  return aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => `/${alias}`).join(", ")})`;
}
