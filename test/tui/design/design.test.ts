/** The screens of the design, drawn by the real app. */
import { onTestFinished, test } from "vitest";
import { expectDesign, expectDesignPart } from "./compare.ts";
import { MOMENTS, showMoment } from "./moments.ts";

const labelled = MOMENTS.map((moment) => ({ moment, label: `${moment.name} ${moment.part?.moment ?? ""}`.trim() }));

test.each(labelled)("$label", async ({ moment: { name, part, tones, ...moment } }) => {
  const opened = await showMoment(moment);
  onTestFinished(() => opened.close());
  if (part === undefined) await expectDesign(opened, name, tones);
  else await expectDesignPart(opened, name, part.rows, part.moment);
});
