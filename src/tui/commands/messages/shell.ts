/** A command of the user's own shell: its output is shown while it comes, and goes with the next message. */
import { createTruncatingBuffer } from "../../../kit/text/truncating-buffer.ts";
import { formatFile } from "../../app/chrome/attached-rows.ts";
import type { ShellEnd } from "../../app/options.ts";
import { UsageError, type ScreenCommand } from "../command.ts";

/** Of a longer output the beginning and the end are kept; what is missing between them is said there. */
const OUTPUT_BYTES_MAX = 128 * 1024;
const NAME_CHARS_MAX = 40;

export const shell: ScreenCommand = {
  name: "shell",
  usage: "/shell COMMAND",
  summary: "runs a command of yours (short: !COMMAND); its output goes with your next message",
  group: "talk",
  async run(screen, args) {
    const command = args.trim();
    if (command === "") throw new UsageError("Say which command.");
    const { runShell, attached } = screen;
    if (runShell === undefined) throw new UsageError("Commands are run for a person at a terminal only.");
    const buffer = createTruncatingBuffer(OUTPUT_BYTES_MAX);
    const stopping = new AbortController();
    const page = screen.showOutput(`$ ${command}`, { text: () => buffer.text(), onStop: () => stopping.abort() });
    const ended = runShell(command, {
      cwd: screen.transcript?.head.cwd,
      signal: stopping.signal,
      onOutput(text) {
        buffer.add(text);
        page.grew();
      },
    });
    const end = await ended.catch((error: unknown) => {
      page.ended("did not start");
      throw error;
    });
    const output = buffer.text().replace(/\n+$/, "");
    const exitText = formatExit(end);
    const file = attached.attachText(fileName(command), `$ ${command}\n${output}\n(${exitText})\n`);
    page.ended(exitText);
    if (file === undefined)
      screen.notify("As many files wait already as a message carries, so the output is not added.");
    else if (!attached.isShown)
      screen.notify(`${formatFile(file)} goes with your next message; /attach none drops it.`, "good");
  },
};

function formatExit({ code, signal, isStopped }: ShellEnd): string {
  if (isStopped) return "stopped by you";
  return signal === null ? `exit code ${code ?? "unknown"}` : `ended by ${signal}`;
}

/** As a file can be called everywhere. */
function fileName(command: string): string {
  const slug = command.replaceAll(/[^\p{L}\p{N}.]+/gu, "-").replaceAll(/^[-.]+|[-.]+$/g, "");
  return `${slug.slice(0, NAME_CHARS_MAX) || "command"}.txt`;
}
