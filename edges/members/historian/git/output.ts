/** Runs git within a turn: it ends with the turn and carries the process marker. */
import { type EmbeddedTurn, type GitEnd, runGit } from "../../../../src/agents/index.ts";

export interface GitCall {
  root: string;
  args: readonly string[];
  timeoutMs: number;
  bytesMax?: number;
}

export interface GitText {
  text: string;
  end: GitEnd;
}

/** Rejects only when the turn is stopped. */
export async function runForTurn(
  turn: EmbeddedTurn,
  { root, args, timeoutMs, onOutput }: Omit<GitCall, "bytesMax"> & { onOutput: (bytes: Buffer) => boolean },
): Promise<GitEnd> {
  const { signal, setup } = turn;
  const end = await runGit({ cwd: root, args, signal, marker: setup.marker, timeoutMs, onOutput });
  signal.throwIfAborted();
  return end;
}

export const OUTPUT_BYTES_MAX = 512 * 1024;

/** Collects git's output up to a limit. */
export async function runForText(turn: EmbeddedTurn, call: GitCall): Promise<GitText> {
  const { root, args, timeoutMs, bytesMax = OUTPUT_BYTES_MAX } = call;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onOutput = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    return bytes < bytesMax;
  };
  const end = await runForTurn(turn, { root, args, timeoutMs, onOutput });
  return { text: Buffer.concat(chunks).subarray(0, bytesMax).toString("utf8"), end };
}
