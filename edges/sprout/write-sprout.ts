/**
 * Writes a session in sprout's layout: `sessions/<id>.meta.json`, `logs/<id>.jsonl` and nested logs. Every file is
 * written atomically, the listing file last. Existing sessions are replaced only on request.
 */
import { existsSync } from "node:fs";
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { newId } from "../../src/kit/ids.ts";
import { writeFileAtomic } from "../../src/kit/files/atomic-file.ts";
import { openLogReader } from "../../src/log/index.ts";
import { RoundtableError } from "../../src/protocol/index.ts";
import * as sprout from "./format/sprout.ts";
import { openSource, type ExportSource, flowOf, wholeText, type RedactOptions } from "../../src/host/index.ts";

/** Limit of open subagent logs; the least recently used is closed first. */
const OPEN_FILES_MAX = 64;

export interface SproutExportOptions {
  readonly dataDir: string;
  readonly sessionId: string;
  readonly directory: string;
  readonly redact?: RedactOptions;
  /** Replaces an existing session of the same id. */
  readonly force?: boolean;
}

export interface SproutExport {
  /** The log. */
  readonly file: string;
  readonly meta: string;
  readonly report: readonly string[];
}

export async function writeSprout(options: SproutExportOptions): Promise<SproutExport> {
  const { dataDir, sessionId, directory, redact } = options;
  const log = path.join(directory, "logs", `${sessionId}.jsonl`);
  const meta = path.join(directory, "sessions", `${sessionId}.meta.json`);
  const existing = [meta, log].find((file) => existsSync(file));
  if (existing !== undefined && options.force !== true) {
    throw new RoundtableError("conflict", `${existing} already exists.`, { hint: "--force replaces it." });
  }
  const reader = await openLogReader({ dataDir, sessionId });
  try {
    const source = await openSource(reader, redact);
    const writer = sprout.createSproutWriter({
      head: source.head,
      survey: await surveyOf(source),
      // An absolute path reveals the exporting user's home.
      ...(redact === undefined ? { logPath: log } : {}),
    });
    await mkdir(path.dirname(meta), { recursive: true });
    await writeLogs(path.join(directory, "logs"), sessionId, logChunks(source, writer));
    await writeFileAtomic(meta, writer.meta());
    return { file: log, meta, report: source.report() };
  } finally {
    await reader.close();
  }
}

async function surveyOf(source: ExportSource): Promise<sprout.SproutSurvey> {
  const surveyor = sprout.createSproutSurveyor();
  for await (const events of source.events()) for (const event of events) surveyor.apply(event);
  const survey = surveyor.end();
  const steered = new Map(survey.steered);
  for (const [messageId, message] of steered) {
    if (message.textBlob !== undefined) steered.set(messageId, { ...message, text: await wholeText(source, message) });
  }
  return { ...survey, steered };
}

async function* logChunks(
  source: ExportSource,
  writer: sprout.SproutWriter,
): AsyncGenerator<sprout.LogPart, void, void> {
  for await (const item of flowOf(source)) yield* writer.item(item);
  yield* writer.end();
}

/** Written to temporary names first, then moved once all are complete, the root's last. */
async function writeLogs(logs: string, sessionId: string, parts: AsyncIterable<sprout.LogPart>): Promise<void> {
  const waiting = path.join(logs, `${sessionId}.${newId()}.tmp`);
  await mkdir(waiting, { recursive: true, mode: 0o700 });
  const files = new OpenFiles(waiting);
  try {
    await files.write(`${sessionId}.jsonl`, "");
    for await (const { file, text } of parts) await files.write(file, text);
    await files.close();
    await rm(path.join(logs, sessionId), { recursive: true, force: true });
    if (existsSync(path.join(waiting, sessionId))) {
      await rename(path.join(waiting, sessionId), path.join(logs, sessionId));
    }
    await rename(path.join(waiting, `${sessionId}.jsonl`), path.join(logs, `${sessionId}.jsonl`));
  } finally {
    await files.close();
    await rm(waiting, { recursive: true, force: true });
  }
}

class OpenFiles {
  readonly #directory: string;
  readonly #open = new Map<string, FileHandle>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async write(name: string, text: string): Promise<void> {
    const handle = this.#open.get(name) ?? (await this.#openFile(name));
    this.#open.delete(name);
    this.#open.set(name, handle);
    await handle.appendFile(text);
  }

  async close(): Promise<void> {
    for (const name of this.#open.keys()) await this.#closeFile(name);
  }

  async #openFile(name: string): Promise<FileHandle> {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= OPEN_FILES_MAX && oldest !== undefined) await this.#closeFile(oldest);
    const file = path.join(this.#directory, name);
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return open(file, "a", 0o600);
  }

  async #closeFile(name: string): Promise<void> {
    const handle = this.#open.get(name);
    this.#open.delete(name);
    if (handle === undefined) return;
    await handle.datasync();
    await handle.close();
  }
}
