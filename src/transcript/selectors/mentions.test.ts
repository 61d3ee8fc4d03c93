import { expect, test } from "vitest";
import { mentionsIn } from "./mentions.ts";

const names = ["ada", "bob", "c-3"];

test.each([
  ["@bob what do you say?", ["bob"]],
  ["I think @Bob and (@ada), then @bob again.", ["bob", "ada"]],
  ["@c-3: yes, @c-3's point", ["c-3"]],
  ["@ada- hm", ["ada"]],
  ["mail bob@ada.example or a/@ada or @ada@bob", []],
  ["@all @nobody @bobby", []],
  ["`@bob` and\n```\n@ada\n```\nend", []],
  ["```\n@ada", []],
  ["nobody", []],
])("[T77] %j names %j", (text, mentioned) => expect(mentionsIn(text, names)).toEqual(mentioned));
