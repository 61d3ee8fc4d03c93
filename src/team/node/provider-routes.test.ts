import { expect, test } from "vitest";
import { networkOf } from "./provider-routes.ts";

test("IPv4 addresses are told apart, IPv6 addresses by their network", () => {
  expect(["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2", ""].map(networkOf)).toEqual([
    "192.0.2.1",
    "192.0.2.1",
    "192.0.2.2",
    "",
  ]);
  const same = ["2001:db8:0:1::1", "2001:DB8:0:1:ffff:1:2:3", "2001:0db8::1:0:0:0:9", "2001:db8:0:1::1%eth0"];
  expect(new Set(same.map(networkOf))).toEqual(new Set(["2001:db8:0:1"]));
  expect(["2001:db8:0:2::1", "::1", "fe80::1"].map(networkOf)).toEqual(["2001:db8:0:2", "0:0:0:0", "fe80:0:0:0"]);
});
