/** Commands from the server, run once each on this machine's own host in the name of their sender. */
import { createClient, createConnectionPair, type Client } from "../../client/index.ts";
import type { Host } from "../../host/index.ts";
import {
  isRepeatable,
  RoundtableError,
  toAnswerError,
  type Ack,
  type Attachment,
  type Command,
} from "../../protocol/index.ts";
import type { RunnerCommand, StartSession } from "../frames.ts";
import type { CommandJournal } from "./command-journal.ts";

/** Connections to the host, one for each sender. */
const SENDERS_MAX = 64;

export interface SentCommand {
  readonly sessionId: string;
  readonly sender: string;
  readonly command: RunnerCommand;
}

export interface CommandRunnerOptions {
  readonly host: Pick<Host, "serve" | "readBlob" | "putBlob">;
  readonly journal: CommandJournal;
  /** A file that a message refers to; undefined when the server has none. */
  readonly fetchBlob: (sessionId: string, sha256: string) => Promise<Uint8Array | undefined>;
  /** The command as this machine runs it. Throws what it does not do, and for a session that is not shared. */
  readonly check: (sent: { sessionId: string; sender: string; command: Command }) => Command;
  /** Resolves with the id of the new session. */
  readonly start: (sent: { sender: string; command: StartSession }) => Promise<string>;
}

export class CommandRunner {
  readonly #options: CommandRunnerOptions;
  readonly #clients = new Map<string, Promise<Client>>();
  readonly #running = new Map<string, Promise<Ack>>();

  constructor(options: CommandRunnerOptions) {
    this.#options = options;
  }

  /** Never rejects. A command that is delivered again gets the answer that it got before. */
  run(sent: SentCommand): Promise<Ack> {
    const key = `${sent.sender} ${sent.command.commandId}`;
    const running = this.#running.get(key) ?? this.#runOnce(key, sent).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }

  close(): void {
    for (const client of this.#clients.values()) void client.then((one) => one.close());
    this.#clients.clear();
  }

  async #runOnce(key: string, { sessionId, sender, command }: SentCommand): Promise<Ack> {
    const { journal, check, start } = this.#options;
    const { commandId, type } = command;
    const state = journal.stateOf(key);
    if (typeof state === "object") return state;
    const ack =
      state === "begun" && (type === "start" || !isRepeatable(type))
        ? ({ commandId, ok: false, error: UNKNOWN_END } as const)
        : await (async (): Promise<Ack> => {
            try {
              const checked = command.type === "start" ? command : check({ sessionId, sender, command });
              if (state === "new") await journal.begin(key);
              if (checked.type === "start")
                return {
                  commandId,
                  ok: true,
                  seq: 0,
                  result: { sessionId: await start({ sender, command: checked }) },
                };
              if ("attachments" in checked) await this.#bring(sessionId, checked.attachments ?? []);
              const client = await this.#clientOf(sender);
              const { commandId: _, ...body } = checked;
              return { ...(await client.command(sessionId, body)), commandId };
            } catch (error) {
              return { commandId, ok: false, error: toAnswerError(error) };
            }
          })();
    // What cannot be noted is told all the same: the server keeps the first answer.
    await journal.end(key, ack).catch(() => {});
    return ack;
  }

  /** Rejects for a file that is neither here nor on the server: a message is not sent without what belongs to it. */
  async #bring(sessionId: string, attachments: readonly Attachment[]): Promise<void> {
    const { host, fetchBlob } = this.#options;
    for (const { blob, mime, name } of attachments) {
      const isHere = await host.readBlob(sessionId, blob.sha256).then(
        () => true,
        () => false,
      );
      if (isHere) continue;
      const bytes = await fetchBlob(sessionId, blob.sha256);
      if (bytes === undefined) throw notReceived(name);
      await host.putBlob(sessionId, bytes, mime);
    }
  }

  #clientOf(sender: string): Promise<Client> {
    const known = this.#clients.get(sender);
    if (known !== undefined) return known;
    const [oldest] = this.#clients;
    if (this.#clients.size >= SENDERS_MAX && oldest !== undefined) {
      this.#clients.delete(oldest[0]);
      void oldest[1].then((client) => client.close());
    }
    const [mine, theirs] = createConnectionPair();
    this.#options.host.serve(theirs);
    const client = createClient(async () => mine, { clientId: sender });
    client.then(
      (opened) => opened.onClose(() => this.#clients.get(sender) === client && this.#clients.delete(sender)),
      () => this.#clients.delete(sender),
    );
    this.#clients.set(sender, client);
    return client;
  }
}

function notReceived(name: string): RoundtableError {
  return new RoundtableError("closed", `The machine did not receive the attachment ${name} from the server.`, {
    hint: "Attach it again and resend the message.",
  });
}

const UNKNOWN_END = {
  code: "closed",
  message: "The runner was stopped while it was doing this; it may or may not have taken effect.",
  hint: "Check the session, then try again if needed.",
} as const;
