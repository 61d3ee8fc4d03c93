/** Writes a reply, whole or in pieces, well or broken off. */
import { setTimeout as sleep } from "node:timers/promises";
import { argsText, now, usageOf } from "./conversation.mjs";
import { FAULT } from "./scenarios.mjs";

class Sse {
  constructor(res) {
    this.res = res;
  }
  raw(text) {
    if (!this.res.destroyed) this.res.write(text);
  }
  data(value) {
    this.raw(`data: ${JSON.stringify(value)}\n\n`);
  }
  event(name, value) {
    this.raw(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
  }
}

function pieces(text, size) {
  const out = [];
  for (let i = 0; i < text.length; i += size) out.push(text.slice(i, i + size));
  return out;
}

export function json(res, status, value, headers = {}) {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(value));
}

/** Headers by which real providers report subscription limits. */
export function limitHeaders(protocol, used) {
  const reset = now() + 3600;
  if (protocol === "anthropic") {
    return {
      "anthropic-ratelimit-unified-status": used >= 100 ? "rejected" : used >= 80 ? "allowed_warning" : "allowed",
      "anthropic-ratelimit-unified-reset": String(reset),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-5h-utilization": String(used / 100),
      "anthropic-ratelimit-unified-5h-reset": String(reset),
    };
  }
  if (protocol === "responses") {
    return {
      "x-codex-primary-used-percent": String(used),
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": String(reset),
      "x-codex-secondary-used-percent": "5",
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-at": String(reset + 86400),
    };
  }
  return { "x-ratelimit-remaining-requests": String(Math.max(0, 100 - used)) };
}

export async function play(res, protocol, conv, reply, record) {
  const usage = usageOf(conv, reply.blocks);
  const { chunk, delay, wait } = reply.pace;
  if (wait) await sleep(wait);
  if (!conv.stream && !reply.fault) return json(res, 200, protocol.whole(conv, reply, usage));

  res.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    connection: "keep-alive",
    ...(reply.limits === undefined ? {} : limitHeaders(record.protocol, Number(reply.limits))),
  });
  const sse = new Sse(res);
  const out = protocol.writer(conv, sse);
  record.firstByteAt = Date.now();
  out.begin(usage);
  for (const [i, block] of reply.blocks.entries()) {
    const channel = out[block.type];
    channel.open(block);
    for (const piece of pieces(block.type === "tool" ? argsText(block) : block.text, chunk)) {
      if (res.destroyed) return;
      channel.delta(piece, block);
      if (delay > 0) await sleep(delay);
    }
    const last = i === reply.blocks.length - 1;
    if (!(last && reply.fault)) channel.close(block);
  }
  switch (reply.fault) {
    case FAULT.DROP:
      await sleep(30);
      res.destroy();
      return;
    case FAULT.STALL:
      return;
    case FAULT.STREAM_ERROR:
      out.streamError("scripted failure in the middle of the stream");
      res.end();
      return;
    case FAULT.GARBAGE:
      sse.raw('data: {"this is not json\n\n');
      res.end();
      return;
    default:
      out.end(reply, usage);
      res.end();
  }
}
