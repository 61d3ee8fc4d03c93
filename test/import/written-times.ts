/** Times in files that tests write, and what is read of such a file with its times shortened. */
import { bring, newDirectory, readBack } from "./import-file.ts";

const T = "2026-02-01T10:00:";
export const at = (second: number): string => `${T}${String(second).padStart(2, "0")}.000Z`;
export const ms = (second: number): number => Date.parse(at(second));

export async function read(file: string, format?: string): Promise<string[]> {
  const dataDir = newDirectory();
  const { sessionId } = await bring(file, { dataDir, ...(format === undefined ? {} : { format }) });
  return (await readBack(dataDir, sessionId)).map((line) => line.replace(T, "").replace(".000Z", ""));
}
