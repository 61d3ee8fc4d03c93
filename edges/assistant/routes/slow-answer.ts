/**
 * A response that may exceed idle timeouts: spaces, which JSON allows before its first character, until the result is
 * ready.
 */
import type { Clock } from "../../../src/kit/clock.ts";
import { toAnswerError, type Json } from "../../../src/protocol/index.ts";
import { JSON_TYPE } from "../../../src/server/index.ts";

const KEEP_ALIVE_MS = 10_000;

export function slowAnswer(clock: Clock, work: Promise<Json>, failed: (error: string) => Json): Response {
  const encoder = new TextEncoder();
  let cancel = () => {};
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      let isOpen = true;
      const sendKeepAlive = () => {
        if (!isOpen) return;
        controller.enqueue(encoder.encode(" "));
        cancel = clock.after(KEEP_ALIVE_MS, sendKeepAlive);
      };
      cancel = clock.after(KEEP_ALIVE_MS, sendKeepAlive);
      const result = await work.catch((error: unknown) => failed(toAnswerError(error).message));
      isOpen = false;
      cancel();
      controller.enqueue(encoder.encode(JSON.stringify({ ok: true, result })));
      controller.close();
    },
    // The client is gone; its message is answered all the same.
    cancel: () => cancel(),
  });
  return new Response(body, { status: 200, headers: { "content-type": JSON_TYPE } });
}
