/** Files of this machine that go with the next message. */
import { formatFile } from "../../app/chrome/attached-rows.ts";
import type { Completion } from "../../input/prompt.ts";
import { UsageError, type CommandScreen, type ScreenCommand } from "../command.ts";

export const attach: ScreenCommand = {
  name: "attach",
  usage: "/attach [PATH…|none]",
  summary: "sends files with your next message; none drops them, nothing lists them",
  group: "talk",
  complete,
  async run(screen, args) {
    const paths = splitPaths(args);
    const { attached } = screen;
    if (paths.length === 0) return screen.notify(formatAttached(screen));
    if (paths.length === 1 && paths[0] === "none") {
      const had = attached.list.length > 0;
      attached.clear();
      return screen.notify(had ? "No file goes with your next message." : "There was none to drop.");
    }
    const problems = await attached.attach(paths);
    if (problems.length < paths.length && !attached.isShown) screen.notify(formatAttached(screen), "good");
    if (problems.length > 0) throw new UsageError(problems.join(" "));
  },
};

function formatAttached({ attached: { list } }: CommandScreen): string {
  if (list.length === 0) return "No file goes with your next message; /attach PATH adds one.";
  return `With your next message ${list.length === 1 ? "goes" : "go"} ${list.map(formatFile).join(", ")}.`;
}

/** The last path is completed, those before it stay as they are. */
async function complete(screen: CommandScreen, prefix: string): Promise<Completion[]> {
  const written = /(?:[^\s\\]|\\.)*$/.exec(prefix)?.[0] ?? "";
  const before = prefix.slice(0, prefix.length - written.length);
  const none: Completion[] =
    screen.attached.list.length > 0 && before === "" && "none".startsWith(written)
      ? [{ value: "none", label: "none", description: "drops the files that wait" }]
      : [];
  const paths = await screen.attached.complete(written.replaceAll(/\\(.)/g, "$1"));
  return [...none, ...paths.map((path) => ({ value: before + path.replaceAll(/[\s\\"']/g, "\\$&"), label: path }))];
}

const PATH = /"([^"]*)"|'([^']*)'|((?:[^\s\\]|\\.)+)/g;

/** As a shell does it, so that a path dropped onto the terminal is one: quotes, and a backslash before a space. */
export function splitPaths(args: string): string[] {
  return [...args.matchAll(PATH)].map(
    ([, double, single, bare = ""]) => double ?? single ?? bare.replaceAll(/\\(.)/g, "$1"),
  );
}
