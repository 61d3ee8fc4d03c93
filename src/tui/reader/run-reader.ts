/** The reader on a given input and output; resolves when the user has left. */
import { Reader } from "./reader.ts";
import type { ReaderOptions } from "./reader-options.ts";

export async function runReader(options: ReaderOptions): Promise<void> {
  await new Reader(options).run();
}
