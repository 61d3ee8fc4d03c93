/**
 * A loopback server that stands in for the providers of models, so that real agent programs can be driven without
 * network or keys. It speaks OpenAI Chat Completions and Responses, Anthropic Messages and Gemini generateContent.
 * `GET /_fake/requests` tells what arrived.
 */
import { createServer } from "node:http";
import * as zlib from "node:zlib";
import { anthropic } from "./anthropic-protocol.mjs";
import { chat } from "./chat-protocol.mjs";
import { Director } from "./director.mjs";
import { gemini } from "./gemini-protocol.mjs";
import { json, limitHeaders, play } from "./play.mjs";
import { responses } from "./responses-protocol.mjs";

const REQUESTS_KEPT = 1_000;
const MODELS = ["fake-text", "fake-thinking", "fake-tool", "fake-slow"];
const MESSAGES = { 401: "invalid api key", 429: "rate limit reached, slow down", 529: "Overloaded" };

export async function startModelServer({ port = 0, chunk = 6, delay = 4 } = {}) {
  const director = new Director({ defaultScenario: "text", pace: { chunk, delay }, aux: true });
  const requests = [];
  const note = (record) => {
    requests.push(record);
    if (requests.length > REQUESTS_KEPT) requests.shift();
  };
  const server = createServer((req, res) => {
    handle({ req, res, director, requests, note }).catch((error) => {
      if (res.headersSent) res.destroy();
      else json(res, 500, { error: { message: `model server: ${error.message}` } });
    });
  });
  server.keepAliveTimeout = 65_000;
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle({ req, res, director, requests, note }) {
  const url = new URL(req.url, "http://localhost");
  const path = url.pathname.replace(/\/{2,}/g, "/");
  if (path === "/_fake/requests") return json(res, 200, requests);
  if (req.method !== "POST") return json(res, 200, path.endsWith("/models") ? modelList() : { ok: true });
  const body = await readBody(req);
  const tokens = Math.ceil(JSON.stringify(body).length / 4);
  if (path.endsWith("/count_tokens")) return json(res, 200, { input_tokens: tokens });
  if (path.endsWith(":countTokens")) return json(res, 200, { totalTokens: tokens });
  const [name, protocol] = protocolFor(path);
  if (protocol === undefined) {
    note({ path, protocol: "other" });
    return json(res, 404, { error: { message: `nothing is served at ${path}` } });
  }
  const conv = protocol.read(body, url);
  const reply = director.reply(conv);
  const record = recordOf(path, name, conv, reply);
  note(record);
  if (reply.hang) return;
  if (!reply.status) return play(res, protocol, conv, reply, record);
  const message = reply.message ?? MESSAGES[reply.status] ?? "scripted server error";
  const limits = reply.limits === undefined ? {} : limitHeaders(name, Number(reply.limits));
  json(res, reply.status, protocol.error(reply.status, message), { ...reply.headers, ...limits });
}

function recordOf(path, protocol, conv, reply) {
  return {
    path,
    protocol,
    model: conv.model,
    stream: conv.stream,
    scenario: reply.scenario,
    step: conv.step,
    tools: conv.tools.map((tool) => (tool.namespace ? `${tool.namespace}/${tool.name}` : tool.name)),
    user: conv.userTexts,
    lastToolResult: conv.lastToolResult,
  };
}

function protocolFor(path) {
  if (path.endsWith("/chat/completions")) return ["chat", chat];
  if (path.endsWith("/responses")) return ["responses", responses];
  if (path.endsWith("/messages")) return ["anthropic", anthropic];
  return /:(streamGenerateContent|generateContent)$/.test(path) ? ["gemini", gemini] : [];
}

/** In the forms of OpenAI, Anthropic and Gemini at once. */
function modelList() {
  return {
    object: "list",
    has_more: false,
    data: MODELS.map((id) => ({ id, object: "model", type: "model", display_name: id, created: 0, owned_by: "fake" })),
    models: MODELS.map((id) => ({
      name: `models/${id}`,
      displayName: id,
      supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
      slug: id,
    })),
  };
}

async function readBody(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const raw = unpacked(Buffer.concat(chunks), req.headers["content-encoding"]);
  return raw.length === 0 ? {} : JSON.parse(raw.toString("utf8"));
}

function unpacked(raw, encoding) {
  if (encoding === "gzip") return zlib.gunzipSync(raw);
  if (encoding === "br") return zlib.brotliDecompressSync(raw);
  return encoding === "zstd" ? zlib.zstdDecompressSync(raw) : raw;
}
