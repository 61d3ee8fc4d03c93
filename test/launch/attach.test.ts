/** What `roundtable attach URL` says when it cannot. */
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { openServer } from "../server/open-server.ts";
import { createLoneHome } from "./lone-home.ts";

test("attach reports in one sentence a bad address, a refused or silent connection, a missing or wrong token, another version, or another kind of server", async () => {
  const home = createLoneHome();
  const foreign = createServer((_request, response) => response.end("<html>hello</html>"));
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  const otherUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  const mute = createTcpServer(() => {});
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const muteUrl = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
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
      says(otherUrl, token),
      says("127.0.0.1:1", ""),
      says(url, ""),
      says(muteUrl, token),
      says("http://example.com", token),
      says("somewhere", token),
    ]);
    expect(said).toEqual([
      expect.stringMatching(/^roundtable: no server answers at http:\/\/127\.0\.0\.1:1\. Start one .*exit 1$/),
      expect.stringMatching(/^roundtable: the server at \S+ rejected the token\. A server gets .*exit 5$/),
      expect.stringMatching(/runs version 0\.0\.0-test, older than this program \(\S+\)\. Stop the server .*exit 1$/),
      expect.stringMatching(/^roundtable: the program at \S+ is not a Roundtable server: .*exit 1$/),
      expect.stringMatching(/^roundtable: no server answers at http:\/\/127\.0\.0\.1:1\. Start one .*exit 1$/),
      expect.stringMatching(/^roundtable: there is no token for \S+\. Give its data directory .*exit 5$/),
      expect.stringMatching(/^roundtable: the program at \S+ did not answer within 5 s\. .*exit 3$/),
      expect.stringMatching(/^roundtable: "example\.com" is not on this machine, .*exit 2$/),
      expect.stringMatching(/^roundtable: "somewhere" is not a server address\. Use the address .*exit 2$/),
    ]);
  } finally {
    await old.close();
    foreign.closeAllConnections();
    foreign.close();
    mute.close();
  }
});
