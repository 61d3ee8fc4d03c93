/** An answer to a request, given by this screen. */
import type { Client, CommandBody } from "../../../client/index.ts";
import type { Ack, Json } from "../../../protocol/index.ts";

export interface AnswerOptions {
  readonly command: (body: CommandBody) => Promise<Ack>;
  readonly client: () => Client | undefined;
}

export interface GivenAnswer {
  readonly result: Json;
  readonly error?: string | null | undefined;
  /** Why it is denied. */
  readonly reason?: string | undefined;
}

/** Resolves with why the answer was not taken. Others are told who answered; several terminals are told apart. */
export function createAnswer({ command, client }: AnswerOptions) {
  return async (requestId: string, { result, error, reason }: GivenAnswer): Promise<string | undefined> => {
    const by = `terminal ${client()?.clientId.slice(-4).toLowerCase() ?? ""}`.trim();
    try {
      const given = { ...(error === undefined ? {} : { error }), ...(reason === undefined ? {} : { reason }) };
      const ack = await command({ type: "answer", requestId, result, by, ...given });
      return ack.ok ? undefined : ack.error.message;
    } catch (failure) {
      return failure instanceof Error ? failure.message : String(failure);
    }
  };
}
