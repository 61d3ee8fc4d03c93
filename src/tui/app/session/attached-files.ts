/**
 * Attachments of the next message of each session. Only paths are stored: files are read once when attached, as a
 * check, and again when sent. If the message is rejected they stay for the next one.
 */
import { attachFile, type AttachedFile, type Client } from "../../../client/index.ts";
import { sniffType } from "../../../kit/files/sniff-type.ts";
import { ATTACHMENTS_MAX, type Attachment } from "../../../protocol/index.ts";
import type { ScreenOptions } from "../options.ts";

export interface ChosenFile {
  /** As entered. */
  readonly path: string;
  /** Base directory of the path. */
  readonly cwd: string | undefined;
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
  /** Text attachments that are not files. */
  readonly text?: string;
}

export interface AttachedFilesOptions {
  readonly files: ScreenOptions["files"];
  readonly sessionId: () => string | undefined;
  /** Directory of the shown session. */
  readonly cwd: () => string | undefined;
  readonly onChange?: () => void;
  /** The screen always lists them, so adding one needs no notice. */
  readonly isShown?: boolean;
}

/** Uploads the files and resolves with the references for the message. */
export type Upload = (client: Client, sessionId: string) => Promise<Attachment[]>;

export interface OutgoingFiles {
  /** Undefined when there are none. */
  readonly upload: Upload | undefined;
  /** Restores them after a rejected message. */
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

  /** Attachments of the shown session. */
  get list(): readonly ChosenFile[] {
    return this.#waiting.get(this.#options.sessionId()) ?? [];
  }

  /** Resolves with an error message for each file that was rejected. */
  async attach(paths: readonly string[]): Promise<string[]> {
    const cwd = this.#options.cwd();
    const problems: string[] = [];
    for (const path of paths) {
      try {
        const { name, bytes } = await this.#options.files.read(path, cwd);
        const file = { path, cwd, name, mime: sniffType(bytes), bytes: bytes.length };
        const others = this.list.filter((one) => one.path !== path || one.cwd !== cwd);
        if (others.length < ATTACHMENTS_MAX) this.#set([...others, file]);
        else problems.push(`${path}: a message takes at most ${ATTACHMENTS_MAX} files.`);
      } catch (error) {
        problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}.`);
      }
    }
    return problems;
  }

  /** Attaches text under a file name; undefined when the message has reached its limit. */
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

  /** Paths with this prefix; directories end with a slash. */
  async complete(prefix: string): Promise<readonly string[]> {
    return await this.#options.files.complete(prefix, { cwd: this.#options.cwd(), limit: PATHS_MAX });
  }

  /** Assigns the id of a session that was just created. */
  adopt(sessionId: string): void {
    const files = this.#waiting.get(undefined) ?? [];
    this.#waiting.delete(undefined);
    if (files.length > 0) this.#waiting.set(sessionId, files);
  }

  /** Removes them for sending. */
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

  /** Sequential: in parallel they could exhaust memory. */
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
