/** Where the app draws something else than the design, row by row, and why. */

/** A row, or from and to. */
export type RowNumbers = number | readonly [from: number, to: number];

export interface Difference {
  /** Rows of the design's sheet, from 1, that the app does not draw. */
  readonly rows?: readonly RowNumbers[];
  /** Rows of the app's screen, from 1, that the design does not have. */
  readonly drawn?: readonly RowNumbers[];
  /** Rows of the design's sheet with the same text and other tones. */
  readonly tones?: readonly RowNumbers[];
  readonly why: string;
}

const TITLE_ID = "the session's short id, which every command takes, stands in the title row from 100 columns on";
const TEXT_WIDTH = "text is at most 100 columns wide, as the design says elsewhere";
const WHERE_IT_HAPPENED = "calls stand where they happened, also one that waits; its changes are in the card";
const FULL_BAR = "the bar of the answer in full runs down to the rule of the strip";
const NOT_BUILT = "verdicts and the line that sums up a round belong to another release";
const AT_AN_ANSWER =
  "after the last word the view stands at the first answer: the status line says where, and the hints how to go on";
const IS_DONE = "the rule says that everyone is done, and the box speaks of the answers";
const GRAMMAR = "code is coloured by a grammar of its language; the sheet knows a few words";
const WORDS = "changed words are found by comparing both lines, not chosen by hand";
const LEFT_BESIDE = "contexts stand beside the directory, as on the design's own sheet of states";
const STEERED_WORK = "a call that went well is part of the work line, as the design says elsewhere";
const STACK = "below 140 columns members stand in a stack, each with its character count and cursor";

const A_NOTE = "Tab adds a note for the member, also to what is allowed";

const COLUMNS: readonly Difference[] = [
  { rows: [1], drawn: [1], why: TITLE_ID },
  { tones: [[23, 26]], why: GRAMMAR },
];

const EDIT: readonly Difference[] = [
  { rows: [1], drawn: [1], why: TITLE_ID },
  { rows: [7], drawn: [[9, 10]], why: WHERE_IT_HAPPENED },
  { rows: [10], drawn: [12], why: FULL_BAR },
  { rows: [12], drawn: [13], why: "both asked at the same time" },
  { rows: [37], why: "one blank row below the choices, as in every other request" },
  { rows: [40], drawn: [40], why: A_NOTE },
];

const withoutTones = (reasons: readonly Difference[]) => reasons.filter(({ tones }) => tones === undefined);

export const differences: Readonly<Record<string, readonly Difference[]>> = {
  "02-columns-160x50": COLUMNS,
  "02-columns-220x60": [
    {
      rows: [1],
      drawn: [1],
      why: `${TITLE_ID}; messages are counted while the view is scrolled up`,
    },
    { rows: [59], drawn: [59], why: "the first message has cost money as well" },
    { tones: [8], why: "code inside bold text is bold as well" },
    { tones: [[32, 35]], why: GRAMMAR },
  ],
  "02-columns-six-160x50": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [24], drawn: [45], why: "both rows of columns have the same height" },
    {
      rows: [46],
      drawn: [46],
      why: "who gets what you type is decided by the running message, not by who is still busy",
    },
    { tones: [10, 32], why: "a path is a link where it names a line" },
  ],
  "03-narrow-100x30": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [24], drawn: [24], why: "the line of another member uses all the room there is" },
    { rows: [29], drawn: [29], why: LEFT_BESIDE },
    { tones: [[14, 17]], why: GRAMMAR },
  ],
  "03-narrow-80x24": [
    { rows: [[2, 3], 6], drawn: [2, [5, 6]], why: "the message fits in one row, which leaves one more for the answer" },
    { rows: [19], drawn: [19], why: "the line of another member uses all the room there is" },
    { rows: [23], drawn: [23], why: "the whole path of the directory fits" },
    { rows: [24], drawn: [24], why: "the key that opens work fits as well" },
    { tones: [[12, 15]], why: GRAMMAR },
  ],
  "03-narrow-40x12": [
    { rows: [1], drawn: [1], why: "no margin at this width, so more of the message is left" },
    { rows: [2], drawn: [2], why: "the effort fits beside the model" },
    { rows: [3], drawn: [3], why: "all the work fits in its line" },
    { rows: [11], drawn: [11], why: "the box says what it is for at every width" },
  ],
  "04-done-160x50": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [[5, 11], 45], drawn: [[38, 45]], why: NOT_BUILT },
    { rows: [28], drawn: [21], why: "SQL has another sign for comments" },
    { rows: [46], drawn: [46], why: "the second round is not part of the session" },
    {
      rows: [49],
      drawn: [49],
      why: "idle members have their models in the status line, as on the design's own sheet of it",
    },
    {
      rows: [50],
      drawn: [50],
      tones: [47],
      why: "without a verdict the box has the focus, and the hints are those of the box",
    },
    {
      tones: [
        [26, 27],
        [30, 33],
      ],
      why: GRAMMAR,
    },
  ],
  "05-approval-command-120x40": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [8], drawn: [[15, 16]], why: WHERE_IT_HAPPENED },
    { rows: [[10, 11]], drawn: [[9, 10]], why: TEXT_WIDTH },
    { rows: [[16, 22]], drawn: [[17, 21], 23], why: FULL_BAR },
    { rows: [24], drawn: [24], why: "both asked at the same time" },
    { rows: [40], drawn: [40], why: A_NOTE },
  ],
  "05-approval-edit-120x40": [
    ...EDIT,
    { tones: [[17, 19], [23, 24], 27], why: GRAMMAR },
    { tones: [20, 22], why: WORDS },
  ],
  "05-approval-command-40x12": [
    { rows: [1], drawn: [1], why: "the member that asks stands below; the row says how long the other one has waited" },
    { tones: [12], why: "separators between words are quiet where the words are" },
  ],
  "05-approval-edit-40x12": [
    { rows: [1], drawn: [1], why: "the member that asks stands below; the row says how long the other one has waited" },
    { rows: [2], drawn: [2], why: "the same request as on the wide screen, at the same time" },
    { rows: [[6, 7]], drawn: [[6, 7]], why: "cut lines use the whole width" },
    { tones: [4, 5], why: GRAMMAR },
    { tones: [9, 12], why: "the mark of the choice is bold as the choice is, and separators are quiet" },
  ],
  "05-approval-question-120x26": [
    { rows: [26], why: "a row in the log says what was asked, also where several questions were answered" },
    { tones: [19], why: "the choice under the cursor is bold and on its band" },
  ],
  "05-approval-tool-120x20": [{ rows: [19], why: A_NOTE }],
  "05-approval-why-120x14": [
    { rows: [12], why: "the reason is what counts: the command gives way to it" },
    { rows: [13], why: "a command that went well is part of the work line" },
  ],
  "06-work": [
    { rows: [24, 43], why: "in one session a later call cannot have begun before an earlier one" },
    { rows: [28], why: "the log does not say which rule it was" },
    { rows: [6], why: "the work line names all calls of the turn, commands too" },
    { rows: [16, [20, 23], 29], why: "calls that went well stand in the work line; unfolded, they are indented" },
    { rows: [[33, 36]], why: "o opens the work; Ctrl+O opens changes" },
    { rows: [41], why: "what was thought is unfolded with the work" },
  ],
  "07-steering": [
    { rows: [15, 19], why: STACK },
    { rows: [16, 17, 37], why: STEERED_WORK },
    { rows: [50], why: "the pause says what /continue allows; who has not answered has a row of its own" },
    { rows: [51], why: "/queue shows what is held as well" },
    { rows: [52], why: "/budget takes any amount" },
    { rows: [62], why: "without colours only the sign says that it needs you" },
  ],
  "08-slash-100x30": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [3], drawn: [13, [24, 25]], why: "the list keeps the view at the answer" },
    { rows: [15, 30], drawn: [15, 30], why: "the number of commands is real" },
    { rows: [[17, 18]], why: "/review and /attempt belong to another release" },
    { rows: [26], drawn: [26], why: IS_DONE },
    { rows: [29], drawn: [29], why: AT_AN_ANSWER },
  ],
  "08-keys-100x30": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    {
      rows: [19, [22, 24]],
      drawn: [19, [22, 24]],
      why: "below 140 columns there are members, not columns; comments belong to another release; the number of keys is real",
    },
    { rows: [26], drawn: [26], why: IS_DONE },
    { rows: [29], drawn: [29], why: AT_AN_ANSWER },
  ],
  "08-model-100x30": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [[2, 3], 5], drawn: [[8, 11]], why: "the card keeps the view at the answer" },
    { rows: [[15, 18]], drawn: [[16, 19]], why: "agents do not say how large the context of a model is" },
    { rows: [21], drawn: [22], why: "default lets the member decide, and takes the room of the note" },
    { rows: [[25, 27]], drawn: [[26, 27]], why: `${IS_DONE}; a command that runs leaves the box` },
    { rows: [29], drawn: [29], why: AT_AN_ANSWER },
  ],
  "09-sessions-120x40": [
    { rows: [3], drawn: [3], why: "what can be searched stands at the right end of its row" },
    { rows: [6, 29], drawn: [6, 29], why: "cut lines use the whole width" },
    { rows: [13, 16, 18], drawn: [13], why: NOT_BUILT },
    {
      rows: [15, 19],
      drawn: [15, 20],
      why: "attempts and reviews belong to another release; members say what they do",
    },
    { rows: [20], drawn: [16, 18], why: "the folder is on the same branch in both sessions" },
    {
      rows: [[22, 26]],
      drawn: [19, [21, 24], 26],
      why: "the choice that Enter takes is marked, as in every other request",
    },
    { rows: [[27, 28]], drawn: [[27, 28]], why: "what you have read is not kept" },
    { rows: [39], drawn: [39], why: "the list of sessions has no costs" },
  ],
  "10-diff-120x40": [
    {
      rows: [1, 4, [7, 9]],
      why: "comments, and what a change is compared with, belong to another release; directories stand one below the other",
    },
    { rows: [5, 6, [10, 12], 17, 20, 23, 24], why: "the log has these lines of the file, and only these" },
    { tones: [22], why: GRAMMAR },
  ],
  "12-failure-120x40": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [14], drawn: [14], why: "v is offered where there is more than what is shown" },
    { rows: [[26, 27]], drawn: [[16, 18]], why: "below 140 columns members stand in a stack, each in its own panel" },
    { rows: [[29, 33]], drawn: [[32, 35]], why: "a specimen of words, which is no part of the screen" },
    {
      rows: [[36, 37]],
      drawn: [[36, 37]],
      why: "who gets what you type is decided by the running message, not by who is still busy",
    },
    { rows: [39], drawn: [39], why: "the status line is that of the turn with the focus" },
    { rows: [40], drawn: [40], why: "keys stand with their words where there is room" },
  ],
  "13-status": [
    { rows: [2, 30], why: IS_DONE },
    { rows: [3, 38, 45], why: "the box speaks of the answers that are there" },
    { rows: [5, 6], why: AT_AN_ANSWER },
    { rows: [9, 12], why: "three members work here, with other contexts" },
    { rows: [16], why: "the command is shown as far as there is room" },
    { rows: [24, 26], why: "there are answers to reply to, and fewer messages" },
    { rows: [34], why: "comments belong to another release" },
    { rows: [41], why: "/doctor says how to install a sandbox" },
    { rows: [48], why: "more keys fit; a budget can be raised, not removed" },
    { rows: [51, 52, 54, 55], why: "the design's own screen of this width has these rows in full" },
  ],
  "14-depth-light-160x50": COLUMNS,
  "14-depth-256-160x50": COLUMNS,
  "14-depth-16-160x50": withoutTones(COLUMNS),
  "14-depth-none-160x50": [
    ...withoutTones(COLUMNS),
    {
      rows: [8, 11, [16, 23], 29, 44],
      drawn: [8, 11, [16, 24], 30],
      why: "without colours backticks say what is code",
    },
  ],
  "14-depth-light-edit-120x40": [
    ...EDIT,
    { tones: [[17, 19], [23, 24], 27], why: GRAMMAR },
    { tones: [20, 22], why: WORDS },
  ],
  "14-depth-16-edit-120x40": [...EDIT, { tones: [20, 22], why: WORDS }],
  "14-depth-none-edit-120x40": [
    ...EDIT,
    { rows: [9], drawn: [8], why: "without colours backticks say what is code" },
    { tones: [16, 21], why: "without colours code is not taken apart" },
    { tones: [20, 22], why: WORDS },
  ],
};
