/** Folds text deltas of three streaming members into a session of N messages, in batches and one by one. */
import { report, rooms } from "./product.ts";
import type { SessionEvent } from "../../src/protocol/index.ts";
import { longSession } from "./long-session.ts";

const DELTAS = 1_000_000;
const CHUNK = 20_000;
const { empty, fold, reduce, dropFrozenPages } = await rooms();
const isOneByOne = process.argv[3] === "one-by-one";
const history = Number(process.argv[2] ?? "10");

let transcript = empty("01JN0000000000000000000001");
let seq = 0;
for (const batch of longSession({ messages: history, deltasPerTurn: 1, leaveOpen: 3 })) {
  transcript = dropFrozenPages(fold(transcript, batch), 4);
  seq = batch.at(-1)?.seq ?? seq;
}
const open = Object.values(transcript.head.openTurns);

let foldMs = 0;
for (let done = 0; done < DELTAS; done += CHUNK) {
  const chunk = Array.from({ length: CHUNK }, (_, index): SessionEvent => {
    const turn = open[index % open.length]!;
    seq++;
    return {
      seq,
      epoch: 1,
      id: `e${seq}`,
      ts: seq,
      sessionId: "01JN0000000000000000000001",
      type: "text_delta",
      turnId: turn.turnId,
      member: turn.member,
      segmentId: `${turn.turnId}-s`,
      text: "four words of text ",
    };
  });
  const started = performance.now();
  if (isOneByOne) for (const event of chunk) transcript = reduce(transcript, event);
  else transcript = fold(transcript, chunk);
  foldMs += performance.now() - started;
}
report({ deltasPerSecond: DELTAS / (foldMs / 1000), messages: transcript.head.messageCount });
