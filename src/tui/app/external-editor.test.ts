import { expect, test } from "vitest";
import { openPrompt, paste } from "../../../test/tui/prompt-on-screen.ts";
import { editExternally } from "./actions.ts";

test("the editor gets the draft with pasted blocks in full, and what it saved is the draft", async () => {
  using box = await openPrompt();
  const pasted = "p\n".repeat(30);
  await box.type("see ", paste(pasted));
  const given: string[] = [];
  await editExternally(box.prompt, (text) => {
    given.push(text);
    return Promise.resolve("short\r\nnow\n");
  });
  expect({ given, text: box.prompt.text, lines: box.history.lines }).toEqual({
    given: [`see ${pasted}`],
    text: "short\nnow\n",
    lines: [],
  });
});

test("the newline that editors add at the end is taken off again", async () => {
  using box = await openPrompt();
  await box.type("one");
  await editExternally(box.prompt, () => Promise.resolve("one two\n"));
  expect(box.prompt.text).toBe("one two");
});

test("leaving the editor without saving, or its failing, changes nothing", async () => {
  using box = await openPrompt();
  await box.type("kept");
  await editExternally(box.prompt, () => Promise.resolve(undefined));
  await expect(editExternally(box.prompt, () => Promise.reject(new Error("no editor")))).rejects.toThrow("no editor");
  expect(box.prompt.text).toBe("kept");
});

test("a text that came into the box meanwhile goes into the history", async () => {
  using box = await openPrompt();
  await box.type("mine");
  await editExternally(box.prompt, () => {
    box.prompt.setText("from an agent");
    return Promise.resolve("mine, edited");
  });
  expect({ text: box.prompt.text, lines: box.history.lines }).toEqual({
    text: "mine, edited",
    lines: ["mine", "from an agent"],
  });
});
