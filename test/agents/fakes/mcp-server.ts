/**
 * A tool server with tools of every kind of result, over standard input and output, or over HTTP with `--http PORT`,
 * where it prints its port. `grow` adds a tool and says that the list changed; `crash` ends the program.
 */
import { createServer, type IncomingMessage } from "node:http";
import { createMcpHandler, McpServer, type CallToolResult } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const text = (words: string): CallToolResult => ({ content: [{ type: "text", text: words }] });

function createFake(headers: Readonly<Record<string, string>> = {}): McpServer {
  const server = new McpServer({ name: "fake", version: "1" });
  server.registerTool(
    "echo",
    { description: "Says it again.", inputSchema: z.object({ words: z.string() }) },
    ({ words }) => text(words),
  );
  server.registerTool("facts", {}, () =>
    text(JSON.stringify({ argv: process.argv.slice(2), env: process.env, headers, cwd: process.cwd() })),
  );
  server.registerTool("mixed", {}, () => ({
    content: [
      { type: "text", text: "first" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///a.txt", name: "a.txt" },
      { type: "resource", resource: { uri: "file:///b.txt", text: "inside" } },
    ],
  }));
  server.registerTool("shaped", { outputSchema: z.object({ sum: z.number() }) }, () => ({
    content: [],
    structuredContent: { sum: 3 },
  }));
  server.registerTool("fail", {}, () => ({ ...text("it did not work"), isError: true }));
  server.registerTool("long", {}, () => text("x".repeat(200_000)));
  server.registerTool("hang", {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    await mcpReq.notify({
      method: "notifications/progress",
      params: { progressToken, progress: 1, message: "hanging" },
    });
    return new Promise<CallToolResult>(() => undefined);
  });
  server.registerTool("odd name/é", {}, () => text("odd"));
  server.registerTool("crash", {}, () => process.exit(3));
  server.registerTool("grow", {}, () => {
    server.registerTool("grown", {}, () => text("grown up"));
    return text("growing");
  });
  return server;
}

if (process.argv.includes("--http")) {
  const handler = createMcpHandler(({ requestInfo }) =>
    createFake(Object.fromEntries(requestInfo?.headers.entries() ?? [])),
  );
  const listening = createServer((request, response) => {
    void readRequest(request).then(async (asked) => {
      const answer = await handler.fetch(asked);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    });
  });
  listening.listen(Number(process.argv.at(-1)), "127.0.0.1", () => {
    const address = listening.address();
    process.stdout.write(`${typeof address === "object" ? (address?.port ?? 0) : 0}\n`);
  });
} else if (process.argv.includes("--broken")) {
  process.stderr.write("the fake is out of order\n");
  process.exitCode = 1;
} else if (!process.argv.includes("--mute")) {
  await createFake().connect(new StdioServerTransport());
} else {
  process.stdin.resume();
}

async function readRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "GET", headers } = request;
  const body = method === "GET" || method === "DELETE" ? {} : { body: Buffer.concat(chunks) };
  return new Request(`http://127.0.0.1${request.url ?? "/"}`, { method, headers: headers as HeadersInit, ...body });
}
