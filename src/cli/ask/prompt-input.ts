/**
 * Prompt from the command line and standard input.
 * Input alone is the prompt; with text it is appended as a `<stdin>` block.
 */
import { fstatSync } from "node:fs";
import { drainBeforeTimeout } from "../../kit/io/drain-before-timeout.ts";
import { usageFailure } from "../../kit/failure.ts";

const STDIN_BYTES_MAX = 4 * 1024 * 1024;
/** A pipe that is never written or closed (service managers, careless parents) must not block a prompt forever. */
const STDIN_WAIT_MS = 3000;

const STDIN_BLOCK = "\n\n<stdin>\n";

/** Empty only when files are attached without text. */
export function composePrompt(text: string, stdin: string, { hasFiles = false } = {}): string {
  const input = stdin.trim() === "" ? "" : stdin.replace(/\n+$/, "");
  const prompt = text.trim() === "" ? input : input === "" ? text : `${text}${STDIN_BLOCK}${input}\n</stdin>`;
  if (prompt.trim() === "" && !hasFiles) {
    throw usageFailure("there is nothing to ask", 'Add a question, such as "Where is the parser?"');
  }
  return prompt;
}

/** The prompt without its `<stdin>` block. */
export function textWithoutStdin(prompt: string): string {
  return prompt.split(STDIN_BLOCK, 1)[0] ?? prompt;
}

export interface StdinOptions {
  /** With text from the command line, waiting for input times out. */
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
      warn(`no input on stdin within ${STDIN_WAIT_MS / 1000} s; continuing without it`);
      input.destroy();
      return "";
    }
    clearTimeout(timer);
    if (next.done === true) break;
    const chunk = Buffer.from(next.value);
    bytes += chunk.length;
    if (bytes > STDIN_BYTES_MAX) {
      input.destroy();
      throw usageFailure(`standard input exceeds ${STDIN_BYTES_MAX} bytes`, "Name the file in the question instead");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** False for terminals and for devices such as /dev/null. */
function carriesInput(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // Closed descriptor: started without stdin.
    return false;
  }
}
