/** What `roundtable attach URL` says when it cannot. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openServer } from "../server/open-server.ts";
import { createLoneHome } from "./lone-home.ts";

test("[X87] attach says in one sentence whether nobody answers, the token is wrong, the version is another, or it is no server of ours", async () => {
  const home = createLoneHome();
  const foreign = createServer((_request, response) => response.end("<html>hello</html>"));
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  const foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  const old = await openServer();
  const { url, token } = old.server;
  const says = async (address: string, given: string) => {
    const seen = home.terminal(["attach", address], { ROUNDTABLE_TOKEN: given });
    const text = await seen.sees(/exit \d/);
    return text.replaceAll(/\s+/g, " ").match(/roundtable: .*exit \d/)?.[0];
  };
  try {
    const said = await Promise.all([
      says("http://127.0.0.1:1", token),
      says(url, "wrong"),
      says(url, token),
      says(foreignUrl, token),
    ]);
    expect(said).toEqual([
      expect.stringMatching(/^roundtable: no server answers at http:\/\/127\.0\.0\.1:1\. Start one .*exit 1$/),
      expect.stringMatching(/^roundtable: the server at \S+ does not take this token\. Every start .*exit 5$/),
      expect.stringMatching(
        /is version 0\.0\.0-test, older than this program, which is \S+\. Stop the server .*exit 1$/,
      ),
      expect.stringMatching(/^roundtable: what runs at \S+ is not a server of this program: .*exit 1$/),
    ]);
  } finally {
    await old.close();
    foreign.closeAllConnections();
    foreign.close();
  }
});
