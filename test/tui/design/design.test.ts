/** The screens of the design, drawn by the real app. */
import { expect, onTestFinished, test } from "vitest";
import { expectDesign, expectDesignPart } from "./compare.ts";
import { MOMENTS, showMoment } from "./moments.ts";

const labelled = MOMENTS.map((moment) => ({ moment, label: `${moment.name} ${moment.part?.moment ?? ""}`.trim() }));

test.each(labelled)("$label", async ({ moment: { name, part, tones, ...moment } }) => {
  const opened = await showMoment(moment);
  onTestFinished(() => opened.close());
  if (part === undefined) await expectDesign(opened, name, tones);
  else await expectDesignPart(opened, name, part.rows, part.moment);
});

/** Between them they have every kind of row. */
const IN_ASCII = new Set([
  "03-narrow-40x12",
  "04-done-160x50",
  "05-approval-command-120x40",
  "05-approval-question-120x26 second",
  "06-work live",
  "08-keys-100x30",
  "08-model-100x30",
  "09-sessions-120x40",
  "10-diff-120x40 changes",
  "12-failure-120x40",
]);

test.each(labelled.filter(({ label }) => IN_ASCII.has(label)))(
  "$label has no sign that a terminal without UTF-8 cannot draw",
  async ({ moment: { name: _name, part: _part, tones: _tones, ...moment } }) => {
    const opened = await showMoment({ ...moment, env: { TERM: "xterm-256color", LANG: "C" } });
    onTestFinished(() => opened.close());
    // oxlint-disable-next-line no-control-regex -- all of ASCII.
    expect(opened.screen().filter((row) => /[^\u0000-\u007f]/.test(row))).toEqual([]);
  },
);
