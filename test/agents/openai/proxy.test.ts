/** A model server behind the proxy that the environment names, over real HTTP. */
import { expect, test } from "vitest";
import { startModelServer, text } from "../fakes/model-server.ts";
import { startOpenAi } from "./start-openai.ts";

test("a model server elsewhere is asked by way of the proxy, one on this machine and one that is excepted are not", async () => {
  const proxy = await startModelServer();
  proxy.play(text("by proxy"));
  const env = { HTTP_PROXY: new URL(proxy.url).origin, NO_PROXY: "excepted.invalid" };
  const deps = { env, limits: { attemptsMax: 1 } };
  const far = await startOpenAi({ spec: { baseUrl: "http://model.invalid/v1" }, deps });
  expect((await far.run("hi")).outcome).toBe("completed");
  expect([far.text(), proxy.requests[0]?.path]).toEqual(["by proxy", "http://model.invalid/v1/chat/completions"]);
  const here = await startOpenAi({ deps });
  here.server.play(text("here"));
  await here.run("hi");
  expect([here.text(), proxy.requests.length]).toEqual(["here", 1]);
  const excepted = await startOpenAi({ spec: { baseUrl: "http://excepted.invalid/v1" }, deps });
  expect((await excepted.run("hi")).error?.code).toBe("connection");
  expect(proxy.requests).toHaveLength(1);
});

test("a member elsewhere whose proxy is no address says so; one on this machine needs none", async () => {
  const deps = { env: { HTTP_PROXY: "not an address" } };
  const far = await startOpenAi({ spec: { baseUrl: "http://model.invalid/v1" }, deps });
  expect((await far.run("hi")).error?.message).toContain("HTTP_PROXY or HTTPS_PROXY names is not an address");
  const here = await startOpenAi({ deps });
  expect((await here.run("hi")).outcome).toBe("completed");
});
