/**
 * The prompt, from the words on the command line and from standard input.
 * Input alone is the prompt; beside words it follows them as a `<stdin>` block.
 */
import { fstatSync } from "node:fs";
import { drainBeforeTimeout } from "../../kit/io/drain-before-timeout.ts";
import { usageFailure } from "../../kit/failure.ts";

const STDIN_BYTES_MAX = 4 * 1024 * 1024;
/** A pipe that nobody writes or closes (a service manager, a careless parent) must not hold a prompt for ever. */
const STDIN_WAIT_MS = 3000;

const STDIN_BLOCK = "\n\n<stdin>\n";

/** Empty only where files are asked about without a word. */
export function composePrompt(text: string, stdin: string, { hasFiles = false } = {}): string {
  const input = stdin.trim() === "" ? "" : stdin.replace(/\n+$/, "");
  const prompt = text.trim() === "" ? input : input === "" ? text : `${text}${STDIN_BLOCK}${input}\n</stdin>`;
  if (prompt.trim() === "" && !hasFiles) {
    throw usageFailure("there is nothing to ask", 'Give a text: roundtable -p "Where is the parser?"');
  }
  return prompt;
}

/** Without what came by standard input beside them. */
export function textWithoutStdin(prompt: string): string {
  return prompt.split(STDIN_BLOCK, 1)[0] ?? prompt;
}

export interface StdinOptions {
  /** With words at hand, silent input is given up after a while. */
  isOptional: boolean;
  warn: (line: string) => void;
}

export async function readStdin({ isOptional, warn }: StdinOptions): Promise<string> {
  if (!carriesInput()) return "";
  const input = process.stdin;
  const chunks: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const gaveUp = Symbol("gave up");
  const silence = new Promise<typeof gaveUp>((resolve) => {
    const giveUp = () => bytes === 0 && resolve(gaveUp);
    if (isOptional) timer = setTimeout(() => void drainBeforeTimeout().then(giveUp), STDIN_WAIT_MS);
  });
  const iterator = input[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>;
  for (;;) {
    const next = await Promise.race([iterator.next(), silence]);
    if (next === gaveUp) {
      warn(`nothing came on standard input within ${STDIN_WAIT_MS / 1000} s; going on without it`);
      input.destroy();
      return "";
    }
    clearTimeout(timer);
    if (next.done === true) break;
    const chunk = Buffer.from(next.value);
    bytes += chunk.length;
    if (bytes > STDIN_BYTES_MAX) {
      input.destroy();
      throw usageFailure(
        `standard input is longer than ${STDIN_BYTES_MAX} bytes`,
        "Name the file in the question instead",
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A terminal is for a person and a device such as /dev/null has nothing to say. */
function carriesInput(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // The descriptor is closed: the program was started without an input.
    return false;
  }
}
