/**
 * The files that go with the next message of each session. Only their names are kept: they are read when they are
 * attached, to know that they can be, and again when they are sent.
 * Promise: a message that was not taken leaves them for the next one.
 */
import { attachFile, type AttachedFile, type Client } from "../../../client/index.ts";
import { sniffType } from "../../../kit/files/sniff-type.ts";
import { ATTACHMENTS_MAX, type Attachment } from "../../../protocol/index.ts";
import type { ScreenOptions } from "../options.ts";

export interface ChosenFile {
  /** As it was given. */
  readonly path: string;
  /** What it was relative to. */
  readonly cwd: string | undefined;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  /** Of what is no file: the text itself. */
  readonly text?: string;
}

export interface AttachedFilesOptions {
  readonly files: ScreenOptions["files"];
  readonly sessionId: () => string | undefined;
  /** The directory of the session that is shown. */
  readonly cwd: () => string | undefined;
  readonly onChange?: () => void;
  /** The screen shows them all the time, so that nobody has to be told of a new one. */
  readonly isShown?: boolean;
}

/** Sends the files; gives what the message names. */
export type Upload = (client: Client, sessionId: string) => Promise<Attachment[]>;

export interface OutgoingFiles {
  /** Undefined when there are none. */
  readonly upload: Upload | undefined;
  /** They were not taken, and stay. */
  putBack(): void;
}

const PATHS_MAX = 50;

export class AttachedFiles {
  readonly #options: AttachedFilesOptions;
  readonly #waiting = new Map<string | undefined, readonly ChosenFile[]>();

  constructor(options: AttachedFilesOptions) {
    this.#options = options;
  }

  get isShown(): boolean {
    return this.#options.isShown === true;
  }

  /** Of the session that is shown. */
  get list(): readonly ChosenFile[] {
    return this.#waiting.get(this.#options.sessionId()) ?? [];
  }

  /** Resolves with a sentence for each that was not taken. */
  async attach(paths: readonly string[]): Promise<string[]> {
    const cwd = this.#options.cwd();
    const problems: string[] = [];
    for (const path of paths) {
      try {
        const { name, bytes } = await this.#options.files.read(path, cwd);
        const file = { path, cwd, name, mime: sniffType(bytes), bytes: bytes.length };
        const others = this.list.filter((one) => one.path !== path || one.cwd !== cwd);
        if (others.length < ATTACHMENTS_MAX) this.#set([...others, file]);
        else problems.push(`${path}: a message carries at most ${ATTACHMENTS_MAX} files.`);
      } catch (error) {
        problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}.`);
      }
    }
    return problems;
  }

  /** A text under the name of a file; undefined when a message carries no more. */
  attachText(name: string, text: string): ChosenFile | undefined {
    const others = this.list;
    if (others.length >= ATTACHMENTS_MAX) return undefined;
    const file = { path: name, cwd: undefined, name, mime: "text/plain", bytes: Buffer.byteLength(text), text };
    this.#set([...others, file]);
    return file;
  }

  clear(): void {
    this.#set([]);
  }

  /** Paths that begin so, folders with a slash at their end. */
  async complete(prefix: string): Promise<readonly string[]> {
    return await this.#options.files.complete(prefix, { cwd: this.#options.cwd(), limit: PATHS_MAX });
  }

  /** The new session has got its id. */
  adopt(sessionId: string): void {
    const files = this.#waiting.get(undefined) ?? [];
    this.#waiting.delete(undefined);
    if (files.length > 0) this.#waiting.set(sessionId, files);
  }

  /** Gives them away: they are being sent. */
  consume(): OutgoingFiles {
    const files = this.list;
    if (files.length > 0) this.clear();
    return {
      upload: files.length === 0 ? undefined : (client, sessionId) => this.#upload(files, client, sessionId),
      putBack: () => {
        if (files.length > 0) this.#set([...files, ...this.list].slice(0, ATTACHMENTS_MAX));
      },
    };
  }

  /** One after the other: together they could fill the memory. */
  async #upload(files: readonly ChosenFile[], client: Client, sessionId: string): Promise<Attachment[]> {
    const attachments: Attachment[] = [];
    for (const file of files) attachments.push(await attachFile(client, sessionId, await this.#read(file)));
    return attachments;
  }

  async #read({ path, cwd, name, text }: ChosenFile): Promise<AttachedFile> {
    if (text !== undefined) return { name, bytes: Buffer.from(text) };
    return await this.#options.files.read(path, cwd).catch((error: unknown) => {
      throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}. The message was not sent.`);
    });
  }

  #set(files: readonly ChosenFile[]): void {
    if (files.length === 0) this.#waiting.delete(this.#options.sessionId());
    else this.#waiting.set(this.#options.sessionId(), files);
    this.#options.onChange?.();
  }
}
